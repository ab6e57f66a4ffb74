import "./style.css";
import { render } from 'preact';

render(<h1>Turnout</h1>, document.getElementById('app')!);

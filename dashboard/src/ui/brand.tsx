export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="8" />
        <path d="M6 16h7c5 0 4-7 9-7h3M13 16c5 0 4 7 9 7h3" />
      </svg>
      Turnout
    </span>
  );
}

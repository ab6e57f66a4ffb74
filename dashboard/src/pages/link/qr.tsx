import { useEffect, useState } from 'preact/hooks';
import { short_url, shown_url } from '../../addresses';
import { api, type Link } from '../../api';
import { failure_of } from '../../failure';
import { use_trouble } from '../../session';
import { Alert, Button } from '../../ui/basic';
import { Copy } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Field } from '../../ui/field';

type Format = 'svg' | 'png';

/** Reads the code as an address that holds the picture itself. */
async function read(link: Link, format: Format, size: number): Promise<string> {
  const blob = await api.qr_code(link.id, format, size);
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** Shows the short address as a QR code. */
export function QrDialog({ link, on_close }: { link: Link; on_close: () => void }) {
  const [picture, set_picture] = useState('');
  const [size, set_size] = useState(512);
  const [trouble, set_trouble] = use_trouble();
  useEffect(() => {
    read(link, 'svg', 512)
      .then(set_picture, (e) => set_trouble(failure_of(e).message));
  }, [link.id]);
  const save = async (format: Format): Promise<void> => {
    set_trouble('');
    try {
      const anchor = document.createElement('a');
      anchor.href = await read(link, format, size);
      anchor.download = `${link.slug}.${format}`;
      anchor.click();
    } catch (e) {
      set_trouble(failure_of(e).message);
    }
  };
  const url = short_url(link.slug);
  return (
    <Dialog title="QR code" on_close={on_close}>
      {trouble && <Alert>{trouble}</Alert>}
      <div class="qr">
        {picture ? <img src={picture} width="220" height="220"
                        alt={`QR code of ${url}`} />
                 : <div class="qr-space" />}
      </div>
      <p class="address centred">
        <span class="url">{shown_url(url)}</span>
        <Copy text={url} what="short address" />
      </p>
      <div class="dialog-actions">
        <Field label="Pixels" class="inline">
          {(wiring) => (
            <select {...wiring} value={size}
                    onChange={(e) => set_size(Number(e.currentTarget.value))}>
              {[256, 512, 1024].map((x) => <option key={x} value={x}>{x}</option>)}
            </select>
          )}
        </Field>
        <Button icon="download" onClick={() => void save('svg')}>SVG</Button>
        <Button icon="download" kind="primary" onClick={() => void save('png')}>
          PNG
        </Button>
      </div>
    </Dialog>
  );
}

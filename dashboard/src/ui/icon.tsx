// Small pictures, drawn in the colour of the text. They never stand alone for a
// meaning: what they belong to has a name.

const paths = {
  plus: 'M8 3v10M3 8h10',
  copy: 'M6 6V3.5A1.5 1.5 0 0 1 7.5 2h5A1.5 1.5 0 0 1 14 3.5v5A1.5 1.5 0 0 1 '
    + '12.5 10H10M3.5 6h5A1.5 1.5 0 0 1 10 7.5v5A1.5 1.5 0 0 1 8.5 14h-5A1.5 '
    + '1.5 0 0 1 2 12.5v-5A1.5 1.5 0 0 1 3.5 6z',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  open: 'M9 3h4v4M13 3L7.5 8.5M11 9.5v2A1.5 1.5 0 0 1 9.5 13h-5A1.5 1.5 0 0 1 3 '
    + '11.5v-5A1.5 1.5 0 0 1 4.5 5h2',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7-4.5z',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5',
  edit: 'M3 13l.6-3L10.5 3 13 5.5 6 12.4zM9 4.5L11.5 7',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6L14 14',
  warn: 'M8 2.5L14 13H2zM8 6.5v3M8 11.4v.1',
  download: 'M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13h10',
  qr: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h1.5v1.5M13.5 '
    + '9.5v1.5M9.5 13.5h1M13.5 13.5v.1',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  next: 'M6.5 3.5L11 8l-4.5 4.5',
  crown: 'M2.5 11.5L2 5l3.5 2.5L8 3.5l2.5 4L14 5l-.5 6.5z',
  split: 'M2 8h3.5C8 8 7.5 4 10.5 4H14M5.5 8C8 8 7.5 12 10.5 12H14',
};

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/**
 * Pictures of the demo shop, drawn here and so free of rights: pots, cups, tins and leaves in the shop's colours, as SVG.
 */

const paper = '#f6efe4';
const ink = '#2f3b35';

/** What stands on a picture. */
export type Motif = 'cup' | 'pot' | 'tin' | 'bag' | 'whisk' | 'set';

const shadow = (x: number, width: number) =>
  `<ellipse cx="${x}" cy="640" rx="${width}" ry="26" fill="${ink}" opacity=".14"/>`;

const leaf = (x: number, y: number, turn: number, fill: string, size = 1) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><path d="M0 0C40-70 130-80 190-30 140 50 50 60 0 0Z" ` +
  `fill="${fill}"/><path d="M4-2C60-14 120-26 180-30" stroke="${paper}" stroke-width="4" opacity=".5" fill="none"/></g>`;

const steam = (x: number, y: number) =>
  `<path d="M${x} ${y}c-30-40 30-70 0-120M${x + 70} ${y - 6}c-30-40 30-70 0-120" stroke="${ink}" opacity=".22" ` +
  `stroke-width="10" stroke-linecap="round" fill="none"/>`;

const motifs: Readonly<Record<Motif, (main: string, light: string) => string>> = {
  cup: (main, light) =>
    `${shadow(400, 210)}${steam(370, 340)}<path d="M610 420c90-10 110 120-20 130" stroke="${main}" stroke-width="30" ` +
    `fill="none"/><path d="M190 380h420c0 160-60 260-210 260S190 540 190 380Z" fill="${main}"/>` +
    `<ellipse cx="400" cy="380" rx="210" ry="44" fill="${light}"/><ellipse cx="400" cy="386" rx="176" ry="30" fill="#b5793b"/>`,
  pot: (main, light) =>
    `${shadow(410, 250)}<path d="M230 470C120 440 110 360 70 350" stroke="${main}" stroke-width="44" stroke-linecap="round" ` +
    `fill="none"/><path d="M620 400c120-30 130 170-30 160" stroke="${main}" stroke-width="30" fill="none"/>` +
    `<ellipse cx="420" cy="480" rx="230" ry="160" fill="${main}"/><ellipse cx="420" cy="336" rx="120" ry="34" fill="${light}"/>` +
    `<circle cx="420" cy="292" r="26" fill="${main}"/><path d="M250 440c40-70 120-90 170-92" stroke="${light}" ` +
    `stroke-width="12" stroke-linecap="round" opacity=".6" fill="none"/>`,
  tin: (main, light) =>
    `${shadow(400, 190)}<rect x="230" y="250" width="340" height="390" rx="22" fill="${main}"/>` +
    `<rect x="216" y="200" width="368" height="84" rx="20" fill="${light}"/><rect x="282" y="380" width="236" height="150" rx="12" ` +
    `fill="${paper}"/>${leaf(316, 476, -8, main, 0.86)}`,
  bag: (main, light) =>
    `${shadow(400, 200)}<path d="M240 260h320l36 350c2 18-10 30-28 30H232c-18 0-30-12-28-30Z" fill="${main}"/>` +
    `<path d="M240 260l24-70h272l24 70Z" fill="${light}"/><circle cx="400" cy="450" r="92" fill="${paper}"/>` +
    `${leaf(326, 466, -14, main, 0.78)}`,
  whisk: (main, light) =>
    `${shadow(400, 230)}<path d="M180 420h440c0 130-80 220-220 220S180 550 180 420Z" fill="${main}"/>` +
    `<ellipse cx="400" cy="420" rx="220" ry="46" fill="${light}"/><ellipse cx="400" cy="428" rx="184" ry="32" fill="#8aa04c"/>` +
    `<g transform="rotate(24 500 300)"><rect x="470" y="110" width="60" height="170" rx="20" fill="#d9b98a"/>` +
    `<path d="M462 280h76l22 140H440Z" fill="#e8d0a9"/></g>`,
  set: (main, light) =>
    `${shadow(300, 170)}${shadow(590, 120)}<ellipse cx="300" cy="510" rx="170" ry="126" fill="${main}"/>` +
    `<path d="M160 490C90 470 80 410 50 400" stroke="${main}" stroke-width="32" stroke-linecap="round" fill="none"/>` +
    `<ellipse cx="300" cy="396" rx="90" ry="26" fill="${light}"/><circle cx="300" cy="362" r="20" fill="${main}"/>` +
    `<path d="M480 500h220c0 90-40 140-110 140S480 590 480 500Z" fill="${light}"/>` +
    `<ellipse cx="590" cy="500" rx="110" ry="24" fill="${paper}"/><ellipse cx="590" cy="504" rx="88" ry="15" fill="#b5793b"/>`,
};

const frame = (width: number, height: number, inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${inside}</svg>`;

/** A product on its ground, square. */
export function productPicture(motif: Motif, main: string, light: string, ground: string): string {
  return frame(
    800,
    800,
    `<rect width="800" height="800" fill="${ground}"/><circle cx="400" cy="360" r="300" fill="${paper}" opacity=".55"/>` +
      `<rect y="640" width="800" height="160" fill="${paper}" opacity=".35"/>${motifs[motif](main, light)}`,
  );
}

/** A broad picture of hills under a sun, for the top of a page. */
export function landscape(sky: string, sun: string, hills: readonly [string, string, string]): string {
  const [far, middle, near] = hills;
  const rows = Array.from(
    { length: 7 },
    (_, i) =>
      `<path d="M0 ${640 + i * 34}c400-${90 - i * 6} 900 40 1600-${50 - i * 4}" stroke="${paper}" opacity=".16" stroke-width="8" fill="none"/>`,
  ).join('');
  return frame(
    1600,
    900,
    `<rect width="1600" height="900" fill="${sky}"/><circle cx="1180" cy="300" r="130" fill="${sun}"/>` +
      `<path d="M0 480C300 340 520 420 760 480s560-120 840-40v460H0Z" fill="${far}"/>` +
      `<path d="M0 600c260-120 560-60 820 0s520-60 780-20v320H0Z" fill="${middle}"/>` +
      `<path d="M0 720c420-120 900 20 1600-70v250H0Z" fill="${near}"/>${rows}` +
      `${leaf(90, 800, -24, far, 1.3)}${leaf(240, 850, -40, middle, 1.1)}`,
  );
}

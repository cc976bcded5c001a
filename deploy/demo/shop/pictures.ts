/**
 * Pictures of the demo shop, drawn here and therefore free of rights: pots, cups, tins and leaves in the shop's
 * colours, as SVG.
 */

const paper = '#f6efe4';
const ink = '#2f3b35';

/** The objects that a picture can show. */
export type Motif =
  | 'cup'
  | 'pot'
  | 'tin'
  | 'bag'
  | 'whisk'
  | 'set'
  | 'jar'
  | 'kettle'
  | 'box'
  | 'tray'
  | 'spoon'
  | 'glass';

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
  jar: (main, light) =>
    `${shadow(400, 170)}<path d="M262 300c-30 20-42 50-42 90v200c0 30 20 50 50 50h260c30 0 50-20 50-50V390c0-40-12-70-42-90Z" ` +
    `fill="${main}"/><rect x="250" y="220" width="300" height="84" rx="18" fill="${light}"/>` +
    `<path d="M300 430h200v130H300Z" fill="${paper}"/>${leaf(332, 508, -8, light, 0.72)}`,
  kettle: (main, light) =>
    `${shadow(410, 240)}<path d="M560 420l120-120" stroke="${main}" stroke-width="40" stroke-linecap="round" fill="none"/>` +
    `<path d="M250 330c0-180 300-180 300 0" stroke="${light}" stroke-width="26" fill="none"/>` +
    `<path d="M240 340h320l50 260c4 24-12 40-36 40H226c-24 0-40-16-36-40Z" fill="${main}"/>` +
    `<ellipse cx="400" cy="340" rx="160" ry="32" fill="${light}"/><circle cx="400" cy="304" r="24" fill="${main}"/>`,
  box: (main, light) =>
    `${shadow(400, 240)}<path d="M180 360h440v260c0 12-8 20-20 20H200c-12 0-20-8-20-20Z" fill="${main}"/>` +
    `<path d="M160 280h480v96H160Z" fill="${light}"/><path d="M370 280h60v360h-60Z" fill="${paper}" opacity=".8"/>` +
    `<path d="M400 280c-30-90-150-80-120-20 18 34 80 30 120 20 40 10 102 14 120-20 30-60-90-70-120 20Z" fill="${paper}"/>`,
  tray: (main, light) =>
    `${shadow(400, 290)}<path d="M110 560h580c0 50-30 80-80 80H190c-50 0-80-30-80-80Z" fill="${main}"/>` +
    `<ellipse cx="400" cy="560" rx="290" ry="44" fill="${light}"/><path d="M300 420h130c0 80-20 130-65 130s-65-50-65-130Z" fill="${main}"/>` +
    `<ellipse cx="365" cy="420" rx="65" ry="16" fill="#b5793b"/><path d="M470 450h110c0 66-18 104-55 104s-55-38-55-104Z" ` +
    `fill="${main}" opacity=".85"/><ellipse cx="525" cy="450" rx="55" ry="14" fill="#b5793b"/>`,
  spoon: (main, light) =>
    `${shadow(400, 210)}<g transform="rotate(32 400 420)"><rect x="378" y="120" width="44" height="360" rx="20" fill="${main}"/>` +
    `<ellipse cx="400" cy="540" rx="90" ry="110" fill="${main}"/><ellipse cx="400" cy="530" rx="64" ry="80" fill="${light}"/></g>` +
    `${leaf(120, 590, -18, light, 0.7)}${leaf(520, 250, -50, light, 0.6)}`,
  glass: (main, light) =>
    `${shadow(400, 170)}<path d="M240 230h320l-34 370c-2 26-20 40-46 40H320c-26 0-44-14-46-40Z" fill="${paper}" opacity=".75"/>` +
    `<path d="M252 360h296l-22 240c-2 26-20 40-46 40H320c-26 0-44-14-46-40Z" fill="${main}" opacity=".9"/>` +
    `<rect x="330" y="300" width="84" height="84" rx="14" transform="rotate(-14 372 342)" fill="${paper}" opacity=".7"/>` +
    `<rect x="420" y="340" width="76" height="76" rx="14" transform="rotate(18 458 378)" fill="${paper}" opacity=".6"/>` +
    `${leaf(440, 250, -60, light, 0.7)}`,
};

const frame = (width: number, height: number, inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${inside}</svg>`;

/** Draws a product on its background, square. */
export function productPicture(motif: Motif, main: string, light: string, ground: string): string {
  return frame(
    800,
    800,
    `<rect width="800" height="800" fill="${ground}"/><circle cx="400" cy="360" r="300" fill="${paper}" opacity=".55"/>` +
      `<rect y="640" width="800" height="160" fill="${paper}" opacity=".35"/>${motifs[motif](main, light)}`,
  );
}

/** Draws the content of a product in close-up: scattered leaves. The same seed gives the same picture. */
export function closeUp(main: string, light: string, ground: string, seed: number): string {
  let state = seed * 7919 + 17;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const leaves = Array.from({ length: 22 }, (_, i) =>
    leaf(next(760) - 60, 60 + next(720), next(360), i % 3 ? main : light, 0.6 + next(6) / 10),
  );
  return frame(800, 800, `<rect width="800" height="800" fill="${ground}"/>${leaves.join('')}`);
}

/** Draws a wide picture of hills under a sun, for the top of a page. */
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

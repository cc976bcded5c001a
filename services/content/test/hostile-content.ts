import { existsSync, readFileSync } from 'node:fs';

/** A short list of vectors that every sanitiser has once let through. */
const known = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" jav\tascript:alert(1)">x</a>',
  '<a href="&#x6a;avascript&colon;alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:x">x</a>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
  '<details open ontoggle=alert(1)>x</details>',
  '<input autofocus onfocus=alert(1)><select autofocus onfocus=alert(1)>',
  '<body onload=alert(1)><base href="//evil.example/"><meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<style>@import "javascript:alert(1)"; * { background: url("javascript:alert(1)") }</style>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<template><script>alert(1)</script></template>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[><img src=x onerror=alert(1)>]]>',
  '<div id="location" name="cookie"><form id=x><input name=attributes>',
  '<table><td><script>alert(1)</script><svg><td onclick=alert(1)>',
  '<p title="`onmouseover=alert(1)">x</p><q cite="javascript:alert(1)">x</q>',
  '<video><source onerror=alert(1)></video><audio src=x onerror=alert(1)>',
  '<isindex action=javascript:alert(1) type=image>',
  '<b <script>alert(1)</script>0</b>',
  '<<script>alert(1);//<</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '\u{1d4cd}<img/src=x\u0000onerror=alert(1)>',
  '</p></article></main><script>alert(1)</script>',
];

const corpora = ['../shared/corpora/', '../../shared/corpora/']
  .map((folder) => new URL(folder, new URL('../../../', import.meta.url)))
  .find((folder) => existsSync(folder));

/** Reads a list of a corpus shared by several projects, if it is available. */
function read<Item>(name: string): Item[] {
  return corpora ? JSON.parse(readFileSync(new URL(name, corpora), 'utf8')) : [];
}

/** Fills the placeholders of H5SC. */
const filled = (data: string) =>
  data.replaceAll(/%js_uri[^%]*%/g, 'javascript:alert(1)').replaceAll(/%js[^%]*%/g, 'alert(1)');

export const xssVectors: readonly string[] = [
  ...known,
  ...read<{ data: string }>('xss/h5sc-items.json').map(({ data }) => filled(data)),
  ...read<{ payload: string }>('xss/dompurify-expect.json').map(({ payload }) => payload),
];

export const naughtyStrings: readonly string[] = [
  '',
  ' ',
  '\t\r\n',
  '\u00a0',
  '\u202e',
  '\ufeff',
  'null',
  '__proto__',
  '1e999',
  "' or 1=1 --",
  '%s%n',
  '{{7*7}}',
  '../../etc/passwd',
  '田中さん',
  'Ω≈ç√∫',
  '👩‍👩‍👧‍👦',
  'Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮',
  'مرحبا',
  '\u0007\u001b[31m',
  '\ud83d\ude00',
  ...read<string>('naughty-strings/blns.json'),
];

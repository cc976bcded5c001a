import { getNativeName } from '@waybill/contracts/locales';
import { fillLanguages } from '@waybill/page/languages';
import { languagesQuery } from '../../api/languages.ts';
import { queries } from '../../api/queries.ts';
import type { CanvasSurface } from './canvas-surface.ts';

/** A switch as the page has it, empty. */
const [opening, closing] = ['<nav class="wb-languages">', '</nav>'];

/**
 * Shows the language switches of the page as visitors see them, closed. Publishing fills them, so on the canvas they
 * are empty and could not be pointed at. The filling is in shadow roots, so that the page stays the same to the byte. A
 * store of one language shows none. Returns the function that ends it.
 */
export function showLanguageSwitches(surface: CanvasSurface): () => void {
  const { storeId, subject } = surface.workbench;
  const { document } = surface;
  let filled: string | undefined;
  const fill = () => {
    if (filled === undefined) return;
    for (const nav of document.body.querySelectorAll('nav.wb-languages:empty'))
      if (!nav.shadowRoot) fillSwitch(nav, filled, subject.landmark);
  };
  const stop = surface.onDraw(fill);
  queries.fetchQuery({ ...languagesQuery(storeId), staleTime: 60_000 }).then(
    ({ default: own, others }) => {
      if (others.length === 0) return;
      const languages = [own, ...others].map((lang) => ({
        lang,
        name: getNativeName(lang),
        url: '',
        isCurrent: lang === own,
      }));
      // Without the element itself, which is on the page already.
      filled = fillLanguages(opening + closing, languages).slice(opening.length, -closing.length);
      document.documentElement.dataset.languages = '';
      fill();
      surface.updateOverlay();
    },
    // A role that may not read the languages sees the switch only among the layers.
    () => {},
  );
  return stop;
}

function fillSwitch(nav: Element, filled: string, landmark: string | undefined): void {
  const root = nav.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = nav.ownerDocument.adoptedStyleSheets;
  root.innerHTML = `<div><div class="wb-languages">${filled}</div></div>`;
  const around = root.firstElementChild as HTMLElement;
  around.style.display = 'contents';
  // The rules for a switch in a header apply only below one.
  if (landmark) around.className = `wb-site-${landmark}`;
}

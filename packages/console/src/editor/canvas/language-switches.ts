import { iconPaths } from '@waybill/page';
import { languagesQuery } from '../../api/languages.ts';
import { queries } from '../../api/queries.ts';
import type { CanvasSurface } from './canvas-surface.ts';

/**
 * Shows the language switches of the page as visitors see them, closed. Publishing fills them, so on the canvas they
 * are empty and could not be pointed at. The filling is in shadow roots, so that the page stays the same to the byte. A
 * store of one language shows none. Returns the function that ends it.
 */
export function showLanguageSwitches(surface: CanvasSurface): () => void {
  const { storeId, subject } = surface.workbench;
  const { document } = surface;
  let name: string | undefined;
  const fill = () => {
    if (name === undefined) return;
    for (const nav of document.body.querySelectorAll('nav.wb-languages:empty'))
      if (!nav.shadowRoot) fillSwitch(nav, name, subject.landmark);
  };
  const stop = surface.onDraw(fill);
  queries.fetchQuery({ ...languagesQuery(storeId), staleTime: 60_000 }).then(
    ({ default: own, others }) => {
      if (others.length === 0) return;
      name = nameOf(own);
      document.documentElement.dataset.languages = '';
      fill();
      surface.updateOverlay();
    },
    // A role that may not read the languages sees the switch only among the layers.
    () => {},
  );
  return stop;
}

function fillSwitch(nav: Element, name: string, landmark: string | undefined): void {
  const root = nav.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = nav.ownerDocument.adoptedStyleSheets;
  root.innerHTML = `<div><div class="wb-languages"><details><summary><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${iconPaths.globe}"></path></svg><span></span></summary></details></div></div>`;
  // The rules for a switch in a header apply only below one.
  const around = root.firstElementChild as HTMLElement;
  if (landmark) around.className = `wb-site-${landmark}`;
  around.style.display = 'contents';
  root.querySelector('span')!.textContent = name;
}

/** Returns a language's name in itself, as the switch shows it, or its tag when it has no name. */
function nameOf(tag: string): string {
  try {
    const name = new Intl.DisplayNames(tag, { type: 'language', fallback: 'code' }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
  } catch {
    return tag;
  }
}

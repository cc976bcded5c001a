/**
 * The runtime of published pages, served as /assets/wb.js (decisions.md 7.8). It is an ordinary script after the page's
 * HTML, so it is ready before any island's module, and the modules need not wait for one another. If an island fails,
 * the HTML that the server wrote stays on the page and the error is logged to the console.
 *
 * A name is accepted only from the module that the page loads for it (decisions.md 14.6). The page states that module
 * on this script's element, which is read before any module can run and change it. The calling module, now or later, is
 * taken from the engine's own record of the call.
 */
(() => {
  const patience = 10_000;
  const registered = new Map();
  const ignored = new Set();
  let isTooLate = false;

  const { src: ownAddress, dataset } = document.currentScript;
  const moduleOf = new Map(
    Object.entries(JSON.parse(dataset.wbIslands ?? '{}')).map(([name, src]) => [
      name,
      new URL(src, location.href).href,
    ]),
  );

  /** Returns the call sites as V8 knows them, not the stack's text, which scripts can forge. */
  function callSites() {
    const { prepareStackTrace, stackTraceLimit } = Error;
    let sites;
    try {
      Error.stackTraceLimit = 10;
      Error.prepareStackTrace = (_, all) => {
        sites = all;
      };
      void new Error().stack;
    } finally {
      Error.prepareStackTrace = prepareStackTrace;
      Error.stackTraceLimit = stackTraceLimit;
    }
    return sites;
  }
  const hasCallSites = callSites() !== undefined;

  /** Returns the address of the code that called a function of this file; undefined if the engine does not tell. */
  function callerAddress() {
    const addresses = hasCallSites
      ? callSites()?.map((site) => site.getFileName())
      : new Error().stack.split('\n').map((line) =>
          /https?:[^@\s]*/
            .exec(line)?.[0]
            .replace(/\)$/, '')
            .replace(/(?::\d{1,9}){1,2}$/, ''),
        );
    return addresses?.find((address) => address && address !== ownAddress);
  }

  const report = (message, error) =>
    console.error(`[waybill] ${message}`, ...(error === undefined ? [] : [error]));

  const markersOf = (name) =>
    [...document.querySelectorAll('[data-wb-island]')].filter((element) => element.dataset.wbIsland === name);

  /** Starts an island on one marker; if the island throws, the element is restored. */
  function start(name, Island, element) {
    const before = element.cloneNode(true);
    const restore = (error) => {
      report(`the island ${name} failed; the page shows what the server wrote`, error);
      element.replaceWith(before);
    };
    try {
      const props = JSON.parse(element.dataset.wbProps ?? '{}');
      new Island(element, props);
    } catch (error) {
      restore(error);
    }
  }

  function register(name, Island) {
    if (typeof name !== 'string' || typeof Island !== 'function') {
      report('register(name, class) wants the name of an island and a class');
    } else if (!moduleOf.has(name) || callerAddress() !== moduleOf.get(name)) {
      if (!ignored.has(name)) {
        console.warn(
          `[waybill] ${name} is ignored: only the module that the page loads for an island registers it`,
        );
      }
      ignored.add(name);
    } else if (registered.has(name)) {
      report(`the island ${name} is registered already`);
    } else if (isTooLate) {
      report(`the island ${name} came after ${patience / 1000} s and is left out`);
    } else {
      registered.set(name, Island);
      for (const element of markersOf(name)) start(name, Island, element);
    }
  }

  Object.defineProperty(window, 'WB', { value: Object.freeze({ register }), enumerable: true });

  setTimeout(() => {
    isTooLate = true;
    const names = [...document.querySelectorAll('[data-wb-island]')].map(
      (element) => element.dataset.wbIsland,
    );
    for (const name of new Set(names)) {
      if (!registered.has(name)) report(`the island ${name} did not register within ${patience / 1000} s`);
    }
  }, patience);

  // A script's error event does not bubble, so it is captured.
  document.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLScriptElement) report(`the module ${target.src} did not load`);
    },
    true,
  );

  /** Dispatches an event to the page's scripts; returns whether one of them called `preventDefault()`. */
  const tell = (element, type, detail) =>
    !element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, cancelable: true }));

  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || !target.closest('.wb-variant-picker')) return;
    const buttons = [...(target.closest('.wb-product') ?? document).querySelectorAll('.wb-add-to-cart')];
    for (const button of buttons) button.dataset.wbVariant = target.value;
    tell(target, 'wb:variant', { productId: buttons[0]?.dataset.wbProduct, variantId: target.value });
  });

  /** Returns the value of a field for a buy button: of the one beside it, or the product's one elsewhere on the page. */
  const valueFor = (button, selector, name) => {
    const beside = button.closest('.wb-product')?.querySelector(selector);
    return (beside ?? document.getElementsByName(`${name}-${button.dataset.wbProduct}`)[0])?.value;
  };
  const quantityFor = (button) =>
    Math.min(Math.max(Math.trunc(valueFor(button, '.wb-quantity input', 'quantity')) || 1, 1), 999);

  document.addEventListener('click', (event) => {
    const { target } = event;
    const button = target instanceof Element ? target.closest('.wb-add-to-cart') : null;
    if (!button) return;
    // A browser that restores a form fires no `change`, so the choice is read again.
    const chosen = valueFor(button, '.wb-variant-picker select', 'variant');
    if (chosen) button.dataset.wbVariant = chosen;
    const { wbProduct: productId, wbVariant: variantId } = button.dataset;
    const quantity = quantityFor(button);
    if (tell(button, 'wb:add-to-cart', { productId, variantId, quantity })) event.preventDefault();
  });

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.classList.contains('wb-form')) return;
    const fields = [...new FormData(form)];
    if (tell(form, 'wb:submit', { name: form.getAttribute('name'), fields })) event.preventDefault();
  });
})();

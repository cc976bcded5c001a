/**
 * The cart of a store's live pages, served as /assets/shop.js (decisions.md 17.4). The pages work by forms alone, with a
 * cart in a cookie; this script keeps the cart in the browser instead, sends its lines along, and puts what the server
 * answers in the place of the page's main part: prices, texts and errors are the server's. Where the browser has no
 * storage, as for a page in a sandbox, it leaves everything to the forms.
 */
(() => {
  const storageKey = 'wb-cart';
  const most = 999;

  /** Null: there has been no cart; undefined: there is no storage. Lines are pairs of a variant's id and a quantity. */
  function read() {
    try {
      const text = localStorage.getItem(storageKey);
      if (text === null) return null;
      const lines = JSON.parse(text);
      return Array.isArray(lines) ? lines.filter(isLine) : [];
    } catch (error) {
      return error instanceof SyntaxError ? [] : undefined;
    }
  }
  const isLine = (line) =>
    Array.isArray(line) && /^var_[0-9a-z]{26}$/.test(line[0]) && Number.isInteger(line[1]) && line[1] > 0;

  /** Whether it is kept: a browser's storage may be full, or closed to the page. */
  function keep(lines) {
    try {
      localStorage.setItem(storageKey, JSON.stringify(lines.slice(0, 100)));
    } catch {
      return false;
    }
    showCount(lines);
    return true;
  }

  function showCount(lines) {
    const count = lines.reduce((sum, [, quantity]) => sum + quantity, 0);
    for (const button of document.querySelectorAll('.wb-cart-button')) {
      let badge = button.querySelector('.wb-cart-count');
      if (!badge) {
        badge = document.createElement('span');
        badge.className = 'wb-cart-count';
        button.append(' ', badge);
      }
      badge.textContent = count > 0 ? `(${count})` : '';
    }
  }

  const texts = {
    en: ['Added to the cart:', 'Cart'],
    de: ['Im Warenkorb:', 'Warenkorb'],
    fr: ['Ajouté au panier :', 'Panier'],
    es: ['Añadido al carrito:', 'Carrito'],
    it: ['Aggiunto al carrello:', 'Carrello'],
    nl: ['In de winkelwagen:', 'Winkelwagen'],
  };
  const language = document.documentElement.lang.split('-')[0];
  const [added, cartText] = Object.hasOwn(texts, language) ? texts[language] : texts.en;

  /** Says what was put in, beside its button, with a way to the cart. */
  let status;
  function tellAdded(button) {
    status ??= document.createElement('p');
    status.className = 'wb-added';
    status.setAttribute('role', 'status');
    button.after(status);
    const name = button.closest('.wb-product')?.querySelector('.wb-product-title')?.textContent ?? '';
    const link = document.createElement('a');
    link.href = button.formAction;
    link.textContent = cartText;
    // A region tells of what comes into it once it is there.
    status.replaceChildren();
    setTimeout(() => status.replaceChildren(`${added} ${name} `, link));
  }

  function buy(event, button) {
    const lines = read();
    if (lines === undefined) return;
    const variantId = button.dataset.wbVariant;
    const others = (lines ?? []).filter(([id]) => id !== variantId);
    const [, quantity = 0] = (lines ?? []).find(([id]) => id === variantId) ?? [];
    if (!keep([...others, [variantId, Math.min(quantity + 1, most)]])) return;
    event.preventDefault();
    tellAdded(button);
  }

  const shop = () => document.querySelector('[data-wb-shop]');
  const linesShown = () =>
    [...document.querySelectorAll('[data-wb-line]')].map((line) => [
      line.dataset.wbLine,
      Number(line.querySelector('input')?.value ?? 0),
    ]);

  /** Puts the main part of an answer in the place of the page's own, and leads the focus to what is to be seen first. */
  function put(text, focus) {
    const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-wb-shop]');
    const old = shop();
    if (!fresh || !old) return location.reload();
    old.replaceWith(fresh);
    const kept = keep(linesShown().filter(isLine));
    if (!kept || !focus) return;
    const wrong = fresh.querySelector('[aria-invalid=true]') ?? fresh.querySelector('[role=alert]');
    const same = typeof focus === 'string' && document.getElementById(focus);
    const first = wrong ?? (same || fresh.querySelector('h1'));
    if (first?.localName === 'h1') first.tabIndex = -1;
    first?.focus();
  }

  let isSending = false;

  /** Sends a form's values; false: nothing has come back, and the browser is to do it by itself. */
  async function send(path, values, focus) {
    isSending = true;
    shop()?.setAttribute('aria-busy', 'true');
    try {
      const headers = { accept: 'text/html' };
      const res = await fetch(path, { method: 'POST', body: new URLSearchParams(values), headers });
      const text = await res.text();
      if (res.redirected && /\/orders\/[^/]+$/.test(new URL(res.url).pathname)) {
        keep([]);
        location.assign(res.url);
        // What comes until the next page is there is the same order.
        return true;
      }
      put(text, focus);
      isSending = false;
      return true;
    } catch {
      isSending = false;
      return false;
    } finally {
      shop()?.removeAttribute('aria-busy');
    }
  }
  const fieldsOf = (lines) => lines.map(([id, quantity]) => [`quantity-${id}`, String(quantity)]);

  function changeCart(event, form, submitter) {
    if (read() === undefined) return;
    const values = [...new FormData(form, submitter)];
    const removed = values.find(([name]) => name === 'remove')?.[1];
    const lines = linesShown().filter((line) => isLine(line) && line[0] !== removed);
    if (!keep(lines)) return;
    event.preventDefault();
    if (values.some(([name]) => name === 'next')) return location.assign('checkout');
    const focus = document.activeElement?.id || true;
    void send(form.action, [...fieldsOf(lines), ['show', '1']], focus).then((came) => came || form.submit());
  }

  function order(event, form) {
    // No second order of two clicks; the key of the form sees to it, too.
    if (isSending) return event.preventDefault();
    if (read() === undefined) return;
    event.preventDefault();
    void send(form.action, [...new FormData(form)], true).then((came) => came || form.submit());
  }

  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const kind = form.closest('[data-wb-shop]')?.dataset.wbShop;
    if (form.id === 'wb-buy' && submitter?.dataset.wbVariant) buy(event, submitter);
    else if (kind === 'cart') changeCart(event, form, submitter);
    else if (kind === 'checkout') order(event, form);
  });

  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.closest('[data-wb-shop=cart] [data-wb-line]'))
      target.form.requestSubmit();
  });

  // Another tab has changed it.
  addEventListener('storage', ({ key }) => key === storageKey && showCount(read() ?? []));

  const lines = read();
  if (lines === undefined) return;
  const kind = shop()?.dataset.wbShop;
  const isPage = kind === 'cart' || kind === 'checkout';
  // A cart that was filled before there were scripts comes along, once.
  const isFirst = lines === null && isPage;
  if (isFirst) keep(linesShown().filter(isLine));
  else showCount(lines ?? []);
  if (isPage && !isFirst) void send(location.pathname, [...fieldsOf(lines), ['show', '1']], false);
})();

/**
 * The cart of a store's live pages, served as /assets/shop.js (decisions.md 17.4). Without it the pages work by forms
 * and a cart in a cookie. This script keeps the cart in the browser instead, sends its lines along, and replaces the
 * page's main part by the server's answer: prices, texts and errors come from the server. If the browser has no
 * storage, as for a page in a sandbox, the script leaves everything to the forms.
 */
(() => {
  const storageKey = 'wb-cart';
  const most = 999;

  /**
   * Returns the lines as pairs of variant id and quantity; null if there was no cart yet, undefined if there is no
   * storage.
   */
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

  /** Stores the cart; returns whether that worked. A browser's storage may be full or closed to the page. */
  function keep(lines) {
    try {
      localStorage.setItem(storageKey, JSON.stringify(lines.slice(0, 100)));
    } catch {
      return false;
    }
    showCount(lines);
    return true;
  }

  /** Stores these lines (0 removes one) and keeps the lines that another tab has added. */
  function keepChanged(changed) {
    const cart = new Map(read());
    for (const [id, quantity] of changed) cart.set(id, quantity);
    return keep([...cart].filter(isLine));
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
      // The badge's reserved room fits this much; a longer text would run into its neighbour.
      badge.textContent = count > 99 ? '(99+)' : count > 0 ? `(${count})` : '';
    }
  }

  const texts = {
    en: ['Added to the cart:', 'Cart', 'Close', 'Previous picture', 'Next picture', 'Zoom'],
    de: ['Im Warenkorb:', 'Warenkorb', 'Schließen', 'Voriges Bild', 'Nächstes Bild', 'Zoom'],
    fr: ['Ajouté au panier :', 'Panier', 'Fermer', 'Image précédente', 'Image suivante', 'Zoom'],
    es: ['Añadido al carrito:', 'Carrito', 'Cerrar', 'Imagen anterior', 'Imagen siguiente', 'Zoom'],
    it: ['Aggiunto al carrello:', 'Carrello', 'Chiudi', 'Immagine precedente', 'Immagine successiva', 'Zoom'],
    nl: ['In de winkelwagen:', 'Winkelwagen', 'Sluiten', 'Vorige afbeelding', 'Volgende afbeelding', 'Zoom'],
    pt: ['Adicionado ao carrinho:', 'Carrinho', 'Fechar', 'Imagem anterior', 'Imagem seguinte', 'Zoom'],
  };
  const language = document.documentElement.lang.split('-')[0];
  const [added, cartText, closeText, previousText, nextText, zoomText] = Object.hasOwn(texts, language)
    ? texts[language]
    : texts.en;

  /** Reports the added product beside its button, with a link to the cart. */
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
    // A live region announces only content that is added after the region itself.
    status.replaceChildren();
    setTimeout(() => status.replaceChildren(`${added} ${name} `, link));
  }

  /** Returns the quantity for a buy button: from the field beside it, or the product's field elsewhere on the page. */
  function quantityFor(button) {
    const beside = button.closest('.wb-product')?.querySelector('.wb-quantity input');
    const named = document.getElementsByName(`quantity-${button.dataset.wbProduct}`)[0];
    return Math.min(Math.max(Math.trunc((beside ?? named)?.value) || 1, 1), most);
  }

  function buy(event, button) {
    const lines = read();
    if (lines === undefined) return;
    const variantId = button.dataset.wbVariant;
    const others = (lines ?? []).filter(([id]) => id !== variantId);
    const [, quantity = 0] = (lines ?? []).find(([id]) => id === variantId) ?? [];
    if (!keep([...others, [variantId, Math.min(quantity + quantityFor(button), most)]])) return;
    event.preventDefault();
    tellAdded(button);
  }

  const shop = () => document.querySelector('[data-wb-shop]');
  /** Lets the style sheet show the page's main part, which it hides while the server's answer to this cart is awaited. */
  const markCurrent = (part) => part?.setAttribute('data-wb-current', '');
  const inFront = 'quantity-';
  const idOf = (name) => name.slice(inFront.length);
  const quantityInputs = () => [...document.querySelectorAll(`[data-wb-line] [name^=${inFront}]`)];
  const lineOf = ({ name, value }) => [idOf(name), Number(value)];
  const linesShown = () => quantityInputs().map(lineOf);
  /** Returns the lines changed on this page; the other lines may have been changed in another tab. */
  const changedHere = () =>
    quantityInputs()
      .filter(({ value, defaultValue }) => value !== defaultValue)
      .map(lineOf);
  const linesIn = (values) =>
    values.filter(([name]) => name.startsWith(inFront)).map(([name, value]) => lineOf({ name, value }));

  /** Updates the sent lines that came back changed or were removed to the state that the page shows. */
  function keepAnswered(sent) {
    const shown = new Map(linesShown());
    const others = sent.filter(([id, quantity]) => shown.get(id) !== quantity);
    return keepChanged(others.map(([id]) => [id, shown.get(id) ?? 0]));
  }

  /** Finds the counterpart of an element in the new part: by its id, by the value it sends, or by its text. */
  const sameIn = (part, { id, localName, name, value, textContent }) =>
    id
      ? part.querySelector(`[id="${id}"]`)
      : [...part.querySelectorAll(localName)].find(
          (each) => each.name === name && each.value === value && (name || each.textContent === textContent),
        );

  /**
   * Replaces the page's main part by that of an answer. Moves the focus to the first error, else to the counterpart of
   * the focused element, else to the title. A `focus` of null never moves it. Without an error, `same` moves it only if
   * it was inside the part.
   */
  function put(fresh, sent, focus) {
    const old = shop();
    const held = old.contains(document.activeElement) && document.activeElement;
    markCurrent(fresh);
    old.replaceWith(fresh);
    putTyped(fresh);
    const kept = keepAnswered(sent);
    if (!kept || !focus) return;
    const wrong = fresh.querySelector('[aria-invalid=true]') ?? fresh.querySelector('[role=alert]');
    const title = (held || focus === 'title') && fresh.querySelector('h1');
    const first = wrong ?? ((held && sameIn(fresh, held)) || title);
    if (!first) return;
    if (first.localName === 'h1') first.tabIndex = -1;
    first.focus();
  }

  let isSending = false;

  const partIn = (text) => new DOMParser().parseFromString(text, 'text/html').querySelector('[data-wb-shop]');

  /**
   * Sends a form's values and shows the answer. Returns `shown`; or `lost` if no answer came, so that the browser should
   * submit the form itself; or `unavailable` if the answer is no page of the shop, because a service is away.
   */
  async function send(path, values, focus) {
    isSending = true;
    shop()?.setAttribute('aria-busy', 'true');
    try {
      const headers = { accept: 'text/html' };
      const res = await fetch(path, { method: 'POST', body: new URLSearchParams(values), headers });
      const text = await res.text();
      if (res.redirected && /\/orders\/[^/]+$/.test(new URL(res.url).pathname)) {
        keepChanged(linesIn(values).map(([id]) => [id, 0]));
        forgetTyped();
        location.assign(res.url);
        // Keeps `isSending` until the next page has loaded, so that a second click does not order twice.
        return 'shown';
      }
      isSending = false;
      const fresh = partIn(text);
      if (!fresh || !shop()) return 'unavailable';
      put(fresh, linesIn(values), focus);
      return 'shown';
    } catch {
      isSending = false;
      return 'lost';
    } finally {
      shop()?.removeAttribute('aria-busy');
    }
  }
  const fieldsOf = (lines) => lines.map(([id, quantity]) => [inFront + id, String(quantity)]);

  function changeCart(event, form, submitter) {
    if (read() === undefined) return;
    const values = [...new FormData(form, submitter)];
    const removed = values.flatMap(([name, id]) => (name === 'remove' ? [[id, 0]] : []));
    if (!keepChanged([...changedHere(), ...removed])) return;
    event.preventDefault();
    for (const [name, text] of values) if (name === 'codes') keepCodes(text);
    if (values.some(([name]) => name === 'next')) return location.assign('checkout');
    // A changed quantity is sent automatically, so it must not move the focus from where the visitor has gone on to.
    const focus = submitter ? 'title' : 'same';
    void send(
      form.action,
      [...fieldsOf(read()), ...countryKept(), ...codesKept(), ['show', '1']],
      focus,
    ).then((outcome) => {
      // The page as the server has it: the changed cart is kept, and sent again with the next change.
      if (outcome === 'unavailable') location.reload();
      if (outcome === 'lost') form.submit();
    });
  }

  function order(event, form) {
    // Two clicks make no second order; the form's key prevents it, too.
    if (isSending) return event.preventDefault();
    if (read() === undefined || !keepChanged(changedHere())) return;
    event.preventDefault();
    const values = [...new FormData(form)];
    void send(form.action, values, 'title').then(async (outcome) => {
      if (outcome === 'shown') return;
      // The browser's own error page would not tell that a retry does not order twice.
      if (outcome === 'unavailable' || !(await isOnline())) return tellNotNow(form);
      remember(linesIn(values));
      form.submit();
    });
  }

  const isOnline = () =>
    fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
      () => true,
      () => false,
    );

  function createNotice(text) {
    const notice = document.createElement('p');
    notice.className = 'wb-notice';
    notice.setAttribute('role', 'alert');
    notice.tabIndex = -1;
    notice.textContent = text;
    return notice;
  }

  function tellNotNow(form) {
    form.parentElement.querySelector(':scope > [role=alert]')?.remove();
    const notice = createNotice(form.dataset.wbNotNow);
    form.before(notice);
    notice.focus();
  }

  /** Replaces what the server has rendered without this cart, when it does not answer to it. */
  function tellUnread() {
    const part = shop();
    part?.replaceChildren(part.querySelector('h1'), createNotice(part.dataset.wbNotNow));
    markCurrent(part);
  }

  const typedKey = 'wb-typed';

  /** Keeps the typed checkout fields for this tab until the order is placed, for visitors who go back to the cart. */
  function keepTyped(form) {
    const typed = [...form.querySelectorAll('input:not([type=hidden]), select')]
      .filter(({ name, type, checked }) => !name.startsWith(inFront) && (type !== 'radio' || checked))
      .map(({ name, value }) => [name, value]);
    try {
      sessionStorage.setItem(typedKey, JSON.stringify(typed));
    } catch {
      // The visitor has to type it again.
    }
  }
  /**
   * Restores the typed fields. An answer to sent values is skipped, because it contains them as the server read them.
   */
  function putTyped(part) {
    const form = part.querySelector('.wb-checkout:not([data-wb-answer])');
    if (!form) return;
    for (const [name, value] of typed()) {
      const field = form.elements.namedItem(name);
      if (field) field.value = value;
    }
  }
  const typed = () => JSON.parse(sessionStorage.getItem(typedKey) ?? '[]');
  const isCodes = ([name]) => name === 'codes';
  const codesKept = () => typed().filter(isCodes);
  /** Carries codes typed in the cart over to the checkout. */
  function keepCodes(text) {
    try {
      const others = typed().filter((field) => !isCodes(field));
      sessionStorage.setItem(typedKey, JSON.stringify([...others, ['codes', text]]));
    } catch {
      // The visitor has to type the codes again.
    }
  }
  /** Returns the stored checkout fields; the country may come from an earlier order. */
  function checkoutKept() {
    const fields = typed();
    return fields.some(([name]) => name === 'country') ? fields : [...fields, ...countryKept()];
  }
  const forgetTyped = () => sessionStorage.removeItem(typedKey);

  const orderedKey = 'wb-ordered';

  /**
   * Remembers the lines that the browser itself is about to order, so that the next page can remove the bought ones.
   */
  function remember(lines) {
    try {
      sessionStorage.setItem(orderedKey, JSON.stringify(lines));
    } catch {
      // The cart stays as it is.
    }
  }
  function takeRemembered() {
    const lines = JSON.parse(sessionStorage.getItem(orderedKey) ?? '[]');
    sessionStorage.removeItem(orderedKey);
    return lines;
  }

  /** Styles of enlarged pictures, in a constructed sheet because the page's policy allows no other. */
  const lightboxCss = `
    .wb-lightbox{width:100%;max-width:none;height:100%;max-height:none;margin:0;padding:0;border:0;color:#fff;background:rgb(0 0 0/.92)}
    .wb-lightbox::backdrop{background:transparent}
    .wb-lightbox-view{display:flex;width:100%;height:100%;overflow:auto;overscroll-behavior:contain}
    .wb-lightbox img{max-width:100%;max-height:100%;margin:auto;cursor:zoom-in}
    .wb-lightbox [data-wb-zoomed] img{flex:none;width:max(200%,60rem);max-width:none;max-height:none;cursor:zoom-out}
    .wb-lightbox button{position:fixed;display:grid;place-items:center;width:3rem;height:3rem;padding:0;border:0;border-radius:50%;color:#fff;background:rgb(0 0 0/.65);cursor:pointer;}
    .wb-lightbox button:hover{background:#000}
    .wb-lightbox button:focus-visible{outline-color:#fff}
    .wb-lightbox .wb-lightbox-close{inset-block-start:1rem;inset-inline-end:1rem}
    .wb-lightbox .wb-lightbox-zoom{inset-block-start:1rem;inset-inline-end:4.75rem}
    .wb-lightbox .wb-lightbox-previous{inset-block-start:calc(50% - 1.5rem);inset-inline-start:1rem}
    .wb-lightbox .wb-lightbox-next{inset-block-start:calc(50% - 1.5rem);inset-inline-end:1rem}
    .wb-lightbox-previous svg,[dir=rtl] .wb-lightbox-next svg{rotate:180deg}
    [dir=rtl] .wb-lightbox-previous svg{rotate:0deg}
    .wb-lightbox p{position:fixed;inset-block-end:1rem;inset-inline:0;text-align:center;pointer-events:none}
    .wb-lightbox p span{padding:.3rem .75rem;border-radius:1rem;background:rgb(0 0 0/.65)}`;
  let sheet;
  function addLightboxCss() {
    if (sheet) return;
    sheet = new CSSStyleSheet();
    sheet.replaceSync(lightboxCss);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }

  const drawings = {
    close: 'M6 6l12 12M18 6L6 18',
    next: 'M9 5l7 7-7 7',
    zoom: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM20 20l-4-4M8 11h6M11 8v6',
  };

  function iconButton(name, drawing, label, act) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = `wb-lightbox-${name}`;
    button.setAttribute('aria-label', label);
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${drawing}"/></svg>`;
    button.addEventListener('click', act);
    return button;
  }

  /** Shows a gallery's pictures over the page, starting with one of them; a click on a picture enlarges it. */
  function showPictures(links, first) {
    const dialog = document.createElement('dialog');
    dialog.className = 'wb-lightbox';
    const view = document.createElement('div');
    view.className = 'wb-lightbox-view';
    const picture = new Image();
    const place = document.createElement('p');
    place.setAttribute('role', 'status');
    let at = links.indexOf(first);
    const show = () => {
      const link = links[at];
      picture.src = link.href;
      picture.alt = link.querySelector('img')?.alt ?? '';
      dialog.setAttribute('aria-label', picture.alt || zoomText);
      place.innerHTML = links.length > 1 ? `<span>${at + 1} / ${links.length}</span>` : '';
      zoom(false);
    };
    const step = (by) => {
      at = (at + by + links.length) % links.length;
      show();
    };
    /** Enlarges a picture around the clicked point, given in shares of the picture. */
    const zoom = (isOn, x = 0.5, y = 0.5) => {
      view.toggleAttribute('data-wb-zoomed', isOn);
      zoomButton.setAttribute('aria-pressed', isOn);
      if (!isOn) return;
      view.scrollLeft = x * view.scrollWidth - view.clientWidth / 2;
      view.scrollTop = y * view.scrollHeight - view.clientHeight / 2;
    };
    const zoomButton = iconButton('zoom', drawings.zoom, zoomText, () =>
      zoom(!view.hasAttribute('data-wb-zoomed')),
    );
    view.addEventListener('click', ({ target, clientX, clientY }) => {
      if (target !== picture) return dialog.close();
      const { left, top, width, height } = picture.getBoundingClientRect();
      zoom(!view.hasAttribute('data-wb-zoomed'), (clientX - left) / width, (clientY - top) / height);
    });
    dialog.addEventListener('keydown', ({ key }) => {
      const forwards = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
      if (links.length > 1 && /^Arrow(Left|Right)$/.test(key) && !view.hasAttribute('data-wb-zoomed'))
        step(key === forwards ? 1 : -1);
      if (key === '+' || key === '-') zoom(key === '+');
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      links[at].focus();
    });
    view.append(picture);
    dialog.append(
      view,
      iconButton('close', drawings.close, closeText, () => dialog.close()),
      zoomButton,
    );
    if (links.length > 1) {
      dialog.append(
        iconButton('previous', drawings.next, previousText, () => step(-1)),
        iconButton('next', drawings.next, nextText, () => step(1)),
        place,
      );
    }
    addLightboxCss();
    document.body.append(dialog);
    show();
    dialog.showModal();
  }

  const languageLinks = (page) => [...page.querySelectorAll('.wb-languages a')];

  /** Shows a product with another variant in place, without loading the whole page. */
  async function chooseVariant(link) {
    const { href } = link;
    try {
      const res = await fetch(href, { headers: { accept: 'text/html' } });
      const fresh = new DOMParser().parseFromString(await res.text(), 'text/html');
      const old = link.closest('.wb-product');
      const next = fresh.querySelector('main .wb-product:has(.wb-options)');
      if (!res.ok || !old || !next) return location.assign(href);
      // The focus stays in the option that the visitor was in.
      const groups = [...old.querySelectorAll('.wb-option-group')];
      const at = groups.indexOf(link.closest('.wb-option-group'));
      old.replaceWith(next);
      history.replaceState(null, '', href);
      // The links to other languages lead to the new variant.
      const links = languageLinks(document);
      for (const [i, { attributes }] of languageLinks(fresh).entries())
        links[i]?.setAttribute('href', attributes.href.value);
      next.querySelectorAll('.wb-option-group')[at]?.querySelector('[aria-current]')?.focus();
    } catch {
      location.assign(href);
    }
  }

  document.addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey } = event;
    if (!(target instanceof Element)) return;
    for (const open of document.querySelectorAll('.wb-languages details[open]'))
      if (!open.contains(target)) open.open = false;
    const value = target.closest('.wb-option');
    if (value && button === 0 && !ctrlKey && !metaKey && !shiftKey && !event.defaultPrevented) {
      if (value.closest('.wb-product')?.querySelector('[data-wb-island]')) return;
      event.preventDefault();
      void chooseVariant(value);
      return;
    }
    const link = target.closest('.wb-zoom');
    // Leaves clicks that open a new tab or window to the browser.
    if (!link || button !== 0 || ctrlKey || metaKey || shiftKey || event.defaultPrevented) return;
    event.preventDefault();
    showPictures([...(link.closest('.wb-gallery') ?? document).querySelectorAll('.wb-zoom')], link);
  });

  /** Storage key of the shopper's destination country, which later carts are priced for, too. */
  const countryKey = 'wb-country';
  function keepCountry(country) {
    try {
      localStorage.setItem(countryKey, country);
    } catch {
      // The shopper has to choose the country again.
    }
  }
  const countryKept = () => {
    const country = localStorage.getItem(countryKey);
    return country ? [['country', country]] : [];
  };

  const priced = ['country', 'region', 'postalCode', 'shipping', 'codes', 'vatId'];
  let turn = 0;

  /** Fetches the price for the current choices. Typed fields stay; an order that is sent meanwhile takes precedence. */
  async function askPrice(form) {
    const own = ++turn;
    const sent = new FormData(form);
    try {
      const body = new URLSearchParams([...sent, ['show', '1']]);
      const res = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } });
      const text = await res.text();
      const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('.wb-summary');
      const old = form.querySelector('.wb-summary');
      if (own !== turn || isSending || !fresh || !old) return;
      const held = old.contains(document.activeElement) && document.activeElement;
      // A choice in the summary may have changed since the request was sent, so the new summary takes it over.
      for (const [name, value] of new FormData(form))
        if (value !== sent.get(name))
          for (const field of fresh.querySelectorAll(`[name="${name}"]`)) {
            if (field.type === 'radio') field.checked = field.value === value;
            else field.value = value;
          }
      old.replaceWith(fresh);
      if (held) sameIn(fresh, held)?.focus();
    } catch {
      // The shown price is compared again when the order is placed.
    }
  }

  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const kind = form.closest('[data-wb-shop]')?.dataset.wbShop;
    if (form.id === 'wb-buy' && submitter?.dataset.wbVariant) buy(event, submitter);
    else if (kind === 'cart') changeCart(event, form, submitter);
    else if (kind === 'checkout' && submitter?.name === 'show') {
      if (read() === undefined) return;
      event.preventDefault();
      void askPrice(form);
    } else if (kind === 'checkout') order(event, form);
  });

  document.addEventListener('change', ({ target }) => {
    const checkout = target.closest('.wb-checkout');
    if (checkout) keepTyped(checkout);
    if (checkout && target.name === 'country') keepCountry(target.value);
    if (checkout && priced.includes(target.name)) void askPrice(checkout);
    if (!(target instanceof HTMLInputElement) || !target.closest('[data-wb-line]')) return;
    // An empty field is not a quantity to the server either; 0 is.
    if (!/^\d{1,6}$/.test(target.value)) target.value = target.defaultValue;
    else if (target.closest('[data-wb-shop=cart]')) target.form.requestSubmit();
  });

  const waitingMs = 3_000;
  const checkingMs = 1_000;
  /** How long after a payment the page does not yet show that the provider does not know of it. */
  const checkedMs = 3_000;

  const waiting = () => shop()?.querySelector('[data-wb-waiting]');
  const isChecking = () => waiting()?.dataset.wbWaiting === 'checking';

  /** Polls the order while its payment is pending and shows its current state. */
  async function followPayment() {
    if (!waiting()) return;
    // A sandboxed page may not read its own address: `decisions.md 17.7`.
    if (origin === 'null') return location.replace(isChecking() ? '?checked' : location.href);
    if (!document.hidden) {
      try {
        const res = await fetch(location.pathname, { headers: { accept: 'text/html' } });
        const fresh = partIn(await res.text());
        const old = shop();
        const isTooEarly =
          isChecking() && performance.now() < checkedMs && fresh?.querySelector('[data-wb-waiting]');
        if (res.ok && fresh && old && !isTooEarly && fresh.innerHTML !== old.innerHTML)
          old.replaceWith(fresh);
      } catch {
        // The next poll tries again.
      }
    }
    followLater();
  }
  function followLater() {
    const isSandboxed = origin === 'null';
    setTimeout(followPayment, isChecking() ? (isSandboxed ? checkedMs : checkingMs) : waitingMs);
  }
  followLater();

  // A page restored from the browser's cache is still in the state of the order that it was sending.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) isSending = false;
  });

  // Another tab has changed the cart.
  addEventListener('storage', ({ key }) => key === storageKey && showCount(read() ?? []));

  const lines = read();
  if (lines === undefined) return markCurrent(shop());
  const kind = shop()?.dataset.wbShop;
  const isPage = kind === 'cart' || kind === 'checkout';
  // Takes over, once, a cart that was filled before the script ran.
  const isFirst = lines === null && isPage;
  if (isFirst) keep(linesShown().filter(isLine));
  else showCount(lines ?? []);
  // The answer to a form that the browser itself has sent stays, with its message and all typed fields.
  const isAnswer = shop()?.querySelector('[data-wb-answer]');
  const ordered = takeRemembered();
  if (ordered.length > 0 && (isAnswer || kind === 'order')) keepAnswered(ordered);
  if (ordered.length > 0 && kind === 'order') forgetTyped();
  if (!isPage || isFirst || isAnswer) return markCurrent(shop());
  const choices = kind === 'checkout' ? checkoutKept() : [...countryKept(), ...codesKept()];
  void send(location.pathname, [...fieldsOf(lines), ...choices, ['show', '1']], null).then((outcome) => {
    if (outcome !== 'shown') tellUnread();
  });
})();

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

  /** Keeps these lines as they are here, 0 taking one out; what another tab has put in stays. */
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
      // As much as the room holds that the page keeps for it: a longer one would run into what stands beside it.
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

  /** How many of a product its button takes: by the field beside it, or the product's field elsewhere on the page. */
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
  const inFront = 'quantity-';
  const idOf = (name) => name.slice(inFront.length);
  const quantityInputs = () => [...document.querySelectorAll(`[data-wb-line] [name^=${inFront}]`)];
  const lineOf = ({ name, value }) => [idOf(name), Number(value)];
  const linesShown = () => quantityInputs().map(lineOf);
  /** What was changed on this page: the rest may have been changed in another tab. */
  const changedHere = () =>
    quantityInputs()
      .filter(({ value, defaultValue }) => value !== defaultValue)
      .map(lineOf);
  const linesIn = (values) =>
    values.filter(([name]) => name.startsWith(inFront)).map(([name, value]) => lineOf({ name, value }));

  /** Of the lines that were sent, keeps those as the page shows them that came back otherwise; some are gone. */
  function keepAnswered(sent) {
    const shown = new Map(linesShown());
    const others = sent.filter(([id, quantity]) => shown.get(id) !== quantity);
    return keepChanged(others.map(([id]) => [id, shown.get(id) ?? 0]));
  }

  /** What stands in a part where an element stood in the one before it: by its id, by what it sends, or by its text. */
  const sameIn = (part, { id, localName, name, value, textContent }) =>
    id
      ? part.querySelector(`[id="${id}"]`)
      : [...part.querySelectorAll(localName)].find(
          (each) => each.name === name && each.value === value && (name || each.textContent === textContent),
        );

  /**
   * Puts the main part of an answer in the place of the page's own, and leads the focus to what is to be seen first:
   * what is wrong, or where the visitor is by now, or the title where that is gone. Null leaves it alone, and `same`
   * leads nobody who is in no part of it.
   */
  function put(text, sent, focus) {
    const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-wb-shop]');
    const old = shop();
    if (!fresh || !old) return location.reload();
    const held = old.contains(document.activeElement) && document.activeElement;
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

  /** Sends a form's values; false: nothing has come back, and the browser is to do it by itself. */
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
        // What comes until the next page is there is the same order.
        return true;
      }
      put(text, linesIn(values), focus);
      isSending = false;
      return true;
    } catch {
      isSending = false;
      return false;
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
    // A number that was changed is sent by itself, and leads nobody away from where they have gone on to.
    const focus = submitter ? 'title' : 'same';
    void send(
      form.action,
      [...fieldsOf(read()), ...countryKept(), ...codesKept(), ['show', '1']],
      focus,
    ).then((came) => came || form.submit());
  }

  function order(event, form) {
    // No second order of two clicks; the key of the form sees to it, too.
    if (isSending) return event.preventDefault();
    if (read() === undefined || !keepChanged(changedHere())) return;
    event.preventDefault();
    const values = [...new FormData(form)];
    void send(form.action, values, 'title').then(async (came) => {
      if (came) return;
      // A page of the browser's own would not say that nothing is ordered twice.
      if (!(await isOnline())) return tellNotNow(form);
      remember(linesIn(values));
      form.submit();
    });
  }

  const isOnline = () =>
    fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
      () => true,
      () => false,
    );

  function tellNotNow(form) {
    const said = form.parentElement.querySelector(':scope > [role=alert]') ?? document.createElement('p');
    said.className = 'wb-notice';
    said.setAttribute('role', 'alert');
    said.tabIndex = -1;
    said.textContent = form.dataset.wbNotNow;
    form.before(said);
    said.focus();
  }

  const typedKey = 'wb-typed';

  /** Keeps for this tab what is typed at the checkout, until it is ordered: who goes back to the cart comes again. */
  function keepTyped(form) {
    const typed = [...form.querySelectorAll('input:not([type=hidden]), select')]
      .filter(({ name, type, checked }) => !name.startsWith(inFront) && (type !== 'radio' || checked))
      .map(({ name, value }) => [name, value]);
    try {
      sessionStorage.setItem(typedKey, JSON.stringify(typed));
    } catch {
      // It is typed once more, then.
    }
  }
  /** An answer to what was sent has it already, as the server has read it. */
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
  /** What is typed in the cart stands at the checkout. */
  function keepCodes(text) {
    try {
      const others = typed().filter((field) => !isCodes(field));
      sessionStorage.setItem(typedKey, JSON.stringify([...others, ['codes', text]]));
    } catch {
      // They are typed once more, then.
    }
  }
  /** All that is kept of the checkout's fields; the country may be known from another order. */
  function checkoutKept() {
    const fields = typed();
    return fields.some(([name]) => name === 'country') ? fields : [...fields, ...countryKept()];
  }
  const forgetTyped = () => sessionStorage.removeItem(typedKey);

  const orderedKey = 'wb-ordered';

  /** What the browser itself is about to order: the page that comes of it is to know what of the cart is gone. */
  function remember(lines) {
    try {
      sessionStorage.setItem(orderedKey, JSON.stringify(lines));
    } catch {
      // The cart stays as it is, then.
    }
  }
  function takeRemembered() {
    const lines = JSON.parse(sessionStorage.getItem(orderedKey) ?? '[]');
    sessionStorage.removeItem(orderedKey);
    return lines;
  }

  /** How pictures look over the page; constructed, as the page's policy lets no other style in. */
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

  /** Shows the pictures of a gallery over the page, beginning with one of them; a click on a picture enlarges it. */
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
    /** Enlarges around the point that was clicked, given in shares of the picture. */
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

  /** Shows a product with another variant in the place of itself, where the browser would load the whole page. */
  async function chooseVariant(link) {
    const { href } = link;
    try {
      const res = await fetch(href, { headers: { accept: 'text/html' } });
      const fresh = new DOMParser().parseFromString(await res.text(), 'text/html');
      const old = link.closest('.wb-product');
      const next = fresh.querySelector('main .wb-product:has(.wb-options)');
      if (!res.ok || !old || !next) return location.assign(href);
      // Where the visitor is by now: in the same option.
      const groups = [...old.querySelectorAll('.wb-option-group')];
      const at = groups.indexOf(link.closest('.wb-option-group'));
      old.replaceWith(next);
      history.replaceState(null, '', href);
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
    // A new tab or window is the browser's.
    if (!link || button !== 0 || ctrlKey || metaKey || shiftKey || event.defaultPrevented) return;
    event.preventDefault();
    showPictures([...(link.closest('.wb-gallery') ?? document).querySelectorAll('.wb-zoom')], link);
  });

  /** Where a shopper has things sent, which other carts are priced for, too. */
  const countryKey = 'wb-country';
  function keepCountry(country) {
    try {
      localStorage.setItem(countryKey, country);
    } catch {
      // It is chosen once more, then.
    }
  }
  const countryKept = () => {
    const country = localStorage.getItem(countryKey);
    return country ? [['country', country]] : [];
  };

  const priced = ['country', 'region', 'postalCode', 'shipping', 'codes', 'vatId'];
  let turn = 0;

  /** Asks what the order costs with what was chosen now. The fields stay as they are; an order sent meanwhile goes first. */
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
      // Who leaves a field for a choice of this part makes the choice after the field has asked.
      for (const [name, value] of new FormData(form))
        if (value !== sent.get(name))
          for (const field of fresh.querySelectorAll(`[name="${name}"]`)) {
            if (field.type === 'radio') field.checked = field.value === value;
            else field.value = value;
          }
      old.replaceWith(fresh);
      if (held) sameIn(fresh, held)?.focus();
    } catch {
      // The price that stands there is compared when it is ordered.
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
    // Nothing is no number of pieces, as the server sees it; 0 is.
    if (!/^\d{1,6}$/.test(target.value)) target.value = target.defaultValue;
    else if (target.closest('[data-wb-shop=cart]')) target.form.requestSubmit();
  });

  const waitingMs = 3_000;
  const checkingMs = 1_000;
  /** For how long somebody who has just paid is not shown yet that the provider knows nothing of it. */
  const checkedMs = 3_000;

  const waiting = () => shop()?.querySelector('[data-wb-waiting]');
  const isChecking = () => waiting()?.dataset.wbWaiting === 'checking';

  /** While a payment is awaited, its order is looked at again, and shown as it is then. */
  async function followPayment() {
    if (!waiting()) return;
    if (!document.hidden) {
      try {
        const res = await fetch(location.pathname, { headers: { accept: 'text/html' } });
        const fresh = new DOMParser()
          .parseFromString(await res.text(), 'text/html')
          .querySelector('[data-wb-shop]');
        const old = shop();
        const isTooEarly =
          isChecking() && performance.now() < checkedMs && fresh?.querySelector('[data-wb-waiting]');
        if (res.ok && fresh && old && !isTooEarly && fresh.innerHTML !== old.innerHTML)
          old.replaceWith(fresh);
      } catch {
        // It is looked at once more, then.
      }
    }
    followLater();
  }
  function followLater() {
    setTimeout(followPayment, isChecking() ? checkingMs : waitingMs);
  }
  followLater();

  // Kept by the browser while its order was looked at, a page comes back as it was left: about to order.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) isSending = false;
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
  // An answer to what the browser itself has sent stays, with its message and all that was typed.
  const isAnswer = shop()?.querySelector('[data-wb-answer]');
  const ordered = takeRemembered();
  if (ordered.length > 0 && (isAnswer || kind === 'order')) keepAnswered(ordered);
  if (ordered.length > 0 && kind === 'order') forgetTyped();
  if (isPage && !isFirst && !isAnswer)
    void send(
      location.pathname,
      [
        ...fieldsOf(lines),
        ...(kind === 'checkout' ? checkoutKept() : [...countryKept(), ...codesKept()]),
        ['show', '1'],
      ],
      null,
    );
})();

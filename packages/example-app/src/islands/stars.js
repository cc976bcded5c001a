/** Draws a rating such as "4.5" as stars. Without the script, or for any other text, the element stays as it is. */
class Stars {
  constructor(element, { text }) {
    const rating = Number.parseFloat(text);
    if (!(rating >= 0 && rating <= 5)) return;
    const full = Math.round(rating);
    element.setAttribute('role', 'img');
    element.setAttribute('aria-label', `${text} of 5`);
    element.textContent = '★'.repeat(full) + '☆'.repeat(5 - full);
  }
}

window.WB.register('ISLAND_NAME', Stars);

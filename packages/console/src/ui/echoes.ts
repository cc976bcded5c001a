/**
 * What an editor has told of itself, and is given back as its value: that comes later, when more may have been typed, and
 * is no news to it. Whatever else it is given is somebody else's.
 */
export class Echoes {
  /** The oldest first, beginning with what came back last. */
  #sentTexts: string[];

  constructor(given: string) {
    this.#sentTexts = [given];
  }

  tell(text: string): void {
    this.#sentTexts.push(text);
  }

  /** Whether what comes was told here; what was told before that does not come any more. */
  isOwn(text: string): boolean {
    const place = this.#sentTexts.lastIndexOf(text);
    this.#sentTexts = place < 0 ? [text] : this.#sentTexts.slice(place);
    return place >= 0;
  }
}

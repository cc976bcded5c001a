/**
 * Recognises an editor's own changes when they come back as its value. They come back late, when the user may have
 * typed more, and must not replace the newer text. Any other value comes from outside.
 */
export class Echoes {
  /** Reported texts, oldest first, starting with the one that came back last. */
  #sentTexts: string[];

  constructor(given: string) {
    this.#sentTexts = [given];
  }

  tell(text: string): void {
    this.#sentTexts.push(text);
  }

  /**
   * Whether a value is one of the editor's own reports. Reports before it are dropped, since they can no longer come
   * back.
   */
  isOwn(text: string): boolean {
    const place = this.#sentTexts.lastIndexOf(text);
    this.#sentTexts = place < 0 ? [text] : this.#sentTexts.slice(place);
    return place >= 0;
  }
}

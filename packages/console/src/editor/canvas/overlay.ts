import type { Box } from './box.ts';
import style from './canvas.module.css';
import type { Chip } from './chips.ts';

/** The layer above the frame. It is created once and moved by hand, so that a moving pointer renders nothing. */
export class Overlay {
  readonly #around: HTMLElement;
  readonly #hover: HTMLElement;
  readonly #line: HTMLElement;
  readonly #refused: HTMLElement;
  readonly #selected: HTMLElement;
  readonly #chips: HTMLElement;
  readonly #boxes: HTMLElement[] = [];
  readonly add: HTMLButtonElement;

  constructor(layer: HTMLElement, addLabel: string) {
    this.#around = part(layer, style.around!);
    this.#selected = part(layer, style.group!);
    this.#hover = part(layer, style.hover!);
    this.#line = part(layer, style.line!);
    this.#refused = part(layer, style.refused!);
    this.#chips = part(layer, style.group!);
    this.add = document.createElement('button');
    this.add.type = 'button';
    this.add.className = style.add!;
    this.add.tabIndex = -1;
    this.add.textContent = '+';
    this.add.setAttribute('aria-label', addLabel);
    this.add.hidden = true;
    layer.append(this.add);
  }

  /** Dims everything except a box; null dims nothing. */
  showOnly(box: Box | null): void {
    place(this.#around, box);
  }

  showHover(box: Box | null, label = ''): void {
    place(this.#hover, box, label);
  }

  showSelection(shown: readonly { box: Box; label: string }[]): void {
    while (this.#boxes.length > shown.length) this.#boxes.pop()!.remove();
    for (const [i, { box, label }] of shown.entries()) {
      this.#boxes[i] ??= part(this.#selected, style.selected!);
      place(this.#boxes[i], box, label);
    }
  }

  showLine(box: Box | null): void {
    place(this.#line, box);
  }

  showRefused(box: Box | null, reason = ''): void {
    place(this.#refused, box, reason);
  }

  /** Shows the button that inserts between two elements; null hides it. */
  showAdd(at: { left: number; top: number } | null): void {
    this.add.hidden = !at;
    if (at) this.add.style.transform = `translate(${at.left}px, ${at.top}px) translate(-50%, -50%)`;
  }

  /** Shows buttons for nodes that show nothing. */
  showChips(chips: readonly Chip[]): void {
    while (this.#chips.children.length > chips.length) this.#chips.lastElementChild!.remove();
    for (const [i, { id, label, left, top, isSelected }] of chips.entries()) {
      let chip = this.#chips.children[i] as HTMLElement | undefined;
      if (!chip) {
        chip = document.createElement('button');
        chip.setAttribute('type', 'button');
        chip.tabIndex = -1;
        chip.className = style.chip!;
        this.#chips.append(chip);
      }
      chip.dataset.id = id;
      chip.textContent = label;
      chip.toggleAttribute('data-selected', isSelected);
      chip.style.transform = `translate(${left}px, ${top}px)`;
    }
  }
}

function part(parent: HTMLElement, className: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  element.hidden = className !== style.group;
  parent.append(element);
  return element;
}

function place(element: HTMLElement, box: Box | null, label?: string): void {
  element.hidden = !box;
  if (!box) return;
  element.style.transform = `translate(${box.left}px, ${box.top}px)`;
  element.style.inlineSize = `${box.width}px`;
  element.style.blockSize = `${box.height}px`;
  // A box at the upper edge shows its name below that edge.
  element.toggleAttribute('data-low', box.top < 20);
  if (label !== undefined && element.dataset.label !== label) element.dataset.label = label;
}

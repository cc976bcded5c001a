import type { Box } from './box.ts';
import style from './canvas.module.css';
import type { Chip } from './chips.ts';

/** The layer above the frame. It is created once and moved by hand, so that a moving pointer renders nothing. */
export class Overlay {
  readonly #shade: HTMLElement;
  readonly #hover: HTMLElement;
  readonly #line: HTMLElement;
  readonly #refused: HTMLElement;
  readonly #selected: HTMLElement;
  readonly #chips: HTMLElement;
  readonly #boxes: HTMLElement[] = [];
  readonly addButton: HTMLButtonElement;

  constructor(layer: HTMLElement, addLabel: string) {
    this.#shade = appendPart(layer, style.around!);
    this.#selected = appendPart(layer, style.group!);
    this.#hover = appendPart(layer, style.hover!);
    this.#line = appendPart(layer, style.line!);
    this.#refused = appendPart(layer, style.refused!);
    this.#chips = appendPart(layer, style.group!);
    this.addButton = document.createElement('button');
    this.addButton.type = 'button';
    this.addButton.className = style.add!;
    this.addButton.tabIndex = -1;
    this.addButton.textContent = '+';
    this.addButton.setAttribute('aria-label', addLabel);
    this.addButton.hidden = true;
    layer.append(this.addButton);
  }

  /** Dims everything except a box; null dims nothing. */
  showShade(box: Box | null): void {
    positionBox(this.#shade, box);
  }

  showHover(box: Box | null, label = ''): void {
    positionBox(this.#hover, box, label);
  }

  showSelection(shown: readonly { box: Box; label: string }[]): void {
    while (this.#boxes.length > shown.length) this.#boxes.pop()!.remove();
    for (const [i, { box, label }] of shown.entries()) {
      this.#boxes[i] ??= appendPart(this.#selected, style.selected!);
      positionBox(this.#boxes[i], box, label);
    }
  }

  showLine(box: Box | null): void {
    positionBox(this.#line, box);
  }

  showRefused(box: Box | null, reason = ''): void {
    positionBox(this.#refused, box, reason);
  }

  /** Shows the button that inserts between two elements; null hides it. */
  showAdd(at: { left: number; top: number } | null): void {
    this.addButton.hidden = !at;
    if (at) this.addButton.style.transform = `translate(${at.left}px, ${at.top}px) translate(-50%, -50%)`;
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

function appendPart(parent: HTMLElement, className: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  element.hidden = className !== style.group;
  parent.append(element);
  return element;
}

function positionBox(element: HTMLElement, box: Box | null, label?: string): void {
  element.hidden = !box;
  if (!box) return;
  element.style.transform = `translate(${box.left}px, ${box.top}px)`;
  element.style.inlineSize = `${box.width}px`;
  element.style.blockSize = `${box.height}px`;
  // A box at the upper edge shows its name below that edge.
  element.toggleAttribute('data-low', box.top < 20);
  if (label !== undefined && element.dataset.label !== label) element.dataset.label = label;
}

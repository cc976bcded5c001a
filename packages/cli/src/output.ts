import { styleText } from 'node:util';

/** Where a command writes: results to standard output, everything else to standard error. */
export interface Output {
  readonly isJson: boolean;
  /** The result: as JSON where that was asked for, else as people read it. */
  result(value: unknown, text: string): void;
  /** One thing of many, as it comes: JSON lines, or a line of text. */
  item(value: unknown, text: string): void;
  /** What is going on; not part of the result. */
  note(text: string): void;
}

/** Writes JSON alone to standard output where `isJson`. */
export function createOutput(isJson: boolean): Output {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  return {
    isJson,
    result: (value, text) => print(isJson ? JSON.stringify(value, null, 2) : text),
    item: (value, text) => print(isJson ? JSON.stringify(value) : text),
    // In the place of what a bar has written there.
    note: (text) => void process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${text}\n`),
  };
}

type Style = Parameters<typeof styleText>[0];

/** Text in a colour, where the terminal has some. */
export const styled = (style: Style, text: string): string =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;

/** Control characters would speak to the terminal: what others wrote is shown without. */
export const plain = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '�');

import { styleText } from 'node:util';

/** The output of a command: results go to standard output, everything else to standard error. */
export interface Output {
  readonly isJson: boolean;
  /** Writes the result: as JSON if requested, else as text for people. */
  result(value: unknown, text: string): void;
  /** Writes one of many results as it arrives: a JSON line or a line of text. */
  item(value: unknown, text: string): void;
  /** Reports progress; not part of the result. */
  note(text: string): void;
}

/** Creates the output of a command. With `isJson`, standard output contains only JSON. */
export function createOutput(isJson: boolean): Output {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  return {
    isJson,
    result: (value, text) => print(isJson ? JSON.stringify(value, null, 2) : text),
    item: (value, text) => print(isJson ? JSON.stringify(value) : text),
    // Overwrites a progress bar on the same line.
    note: (text) => void process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${text}\n`),
  };
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text if the terminal supports it. */
export const styled = (style: Style, text: string): string =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;

/** Replaces control characters in text from others, because the terminal would obey them. */
export const plain = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '�');

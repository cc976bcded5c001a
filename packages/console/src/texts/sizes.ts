const sizes = [
  ['gigabyte', 1024 ** 3],
  ['megabyte', 1024 ** 2],
  ['kilobyte', 1024],
] as const;

/** Returns a function that formats a number of bytes in the largest unit that it reaches: "1.5 MB". */
export function createSizeFormat(language: string): (bytes: number) => string {
  return (bytes) => {
    const [unit, scale] = sizes.find(([, scale]) => bytes >= scale) ?? (['byte', 1] as const);
    // The short name of this unit has no plural in English.
    const unitDisplay = unit === 'byte' ? 'long' : 'short';
    const format = new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay,
      maximumFractionDigits: 1,
    });
    return format.format(bytes / scale);
  };
}

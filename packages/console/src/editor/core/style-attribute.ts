/** Replaces the name `style` in parsed HTML, because the console's policy would report inline styles. */
export const styleAttribute = 'data-pasted-style';

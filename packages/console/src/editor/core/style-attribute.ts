/** What `style` is called in HTML that is parsed here: an inline style would be reported by the console's policy. */
export const styleAttribute = 'data-pasted-style';

/** Whether a URL leads to the machine that it is used on, which needs no TLS: a developer's own, as a rule. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

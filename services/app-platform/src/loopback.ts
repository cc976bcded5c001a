/** Whether a URL points to the machine that it is used on, usually a developer's own, and so needs no TLS. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

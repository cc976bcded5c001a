const key = 'waybill.invitation';

/**
 * Token of the invitation that somebody opened in this browser and has not answered yet. Registration, verification and
 * password reset continue through mails, whose links know nothing of it. The token works only for the invited address,
 * whoever finds it here.
 */
export const openInvitation = {
  read: (): string | null => localStorage.getItem(key),
  keep: (token: string): void => localStorage.setItem(key, token),
  forget: (): void => localStorage.removeItem(key),
};

const key = 'waybill.invitation';

/**
 * The invitation that somebody in this browser has been shown and not answered yet, by its token: registering, verifying
 * and a new password lead out by mails, whose links know nothing of it. It is good for the invited address alone,
 * whoever finds it here.
 */
export const openInvitation = {
  read: (): string | null => localStorage.getItem(key),
  keep: (token: string): void => localStorage.setItem(key, token),
  forget: (): void => localStorage.removeItem(key),
};

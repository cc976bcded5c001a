import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { link, readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Log, StartError } from '@waybill/kernel';
import nodemailer from 'nodemailer';
import type { RenderedMail } from './templates.ts';

/** A mail to one address. */
export interface OutgoingMail extends RenderedMail {
  to: string;
  /** Shown instead of the system's name, which remains the sender. */
  senderName?: string;
  /** Address for replies; null: none. */
  replyTo?: string | null;
  /** A PNG that the HTML shows by `cid:logo`. */
  logo?: Buffer | null;
}

/** The way in which mails leave the system. */
export interface Transport {
  /** Sends a mail. Throws a MailRefused. An abort by `signal` throws too, however far the sending got. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * The error of a mail that was not accepted. Its message never includes the server's answer, which contains addresses.
 */
export class MailRefused extends Error {
  /**
   * Whether further attempts are useless, because the server does not accept mail for that address:
   * `decisions.md 15.1`.
   */
  readonly isFinal: boolean;

  /** `code` is the library's code, followed by the SMTP step and status if it got that far: `EENVELOPE RCPT TO 550`. */
  constructor(code: string, isFinal: boolean) {
    super(code);
    this.isFinal = isFinal;
  }
}

/** The destination of mails: an SMTP server or a folder. */
export interface MailSettings {
  /** Null: no server is configured. */
  smtpUrl: string | null;
  from: { name: string; address: string };
  /** Folder for mails if there is no SMTP server. */
  folder: string;
}

/** Number of mails that one copy of the service sends at once. */
export const maxConcurrentMails = 10;

/** Opens the configured transport. Without a server, logs where mails go instead. Throws a StartError. */
export function openTransport({ smtpUrl, from, folder }: MailSettings, log: Log): Transport {
  if (smtpUrl) return openSmtp(smtpUrl, from);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`SMTP_URL: must be set where mails cannot be written to ${folder} (${code})`);
  }
  log.warn({ folder }, 'SMTP_URL is not set: mails are written to files');
  return openFolder(folder, from);
}

const mailHeaders = (
  from: MailSettings['from'],
  { to, subject, senderName, replyTo, logo }: OutgoingMail,
) => ({
  from: { ...from, name: senderName ?? from.name },
  ...(replyTo && { replyTo: { name: '', address: replyTo } }),
  ...(logo && {
    attachments: [{ filename: 'logo.png', cid: 'logo', content: logo, contentType: 'image/png' }],
  }),
  // An object, because the library would split a text at commas into several addresses.
  to: { name: '', address: to },
  subject,
  headers: { 'auto-submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
});

function openSmtp(url: string, from: MailSettings['from']): Transport {
  const mailer = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: maxConcurrentMails,
    // The table is the only queue; a second one here would hold mails beyond their lease.
    maxRequeues: 0,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 20_000,
    idleTimeout: 30_000,
  });
  return {
    async send(mail, signal) {
      // SMTP cannot express these two characters; the library would drop them and mail another address.
      if (/[<>]/.test(mail.to)) throw new MailRefused('EENVELOPE', true);
      try {
        const { text, html } = mail;
        await mailer.sendMail({ ...mailHeaders(from, mail), text, html, signal });
      } catch (error) {
        throw describeRefusal(error as SmtpError);
      }
    },
    close: () => mailer.close(),
  };
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

function describeRefusal({ code = 'EUNKNOWN', command, responseCode }: SmtpError): MailRefused {
  const isRecipient = command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500;
  const words = [code, command, responseCode].filter((word) => word !== undefined);
  return new MailRefused(words.join(' '), isRecipient);
}

/** Number of files that a folder keeps, and number of new files between two cleanups. */
const maxFiles = 1_000;
const sweepAfter = 200;

/** Deletes the oldest mails of a folder, whose names begin with their times. */
async function sweepFolder(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  for (const name of files.slice(0, -maxFiles)) await unlink(join(folder, name)).catch(() => {});
}

function openFolder(folder: string, from: MailSettings['from']): Transport {
  let written = 0;
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const alternatives = [readable('text/plain', mail.text), readable('text/html', mail.html)];
      const message = await composer.sendMail({ ...mailHeaders(from, mail), alternatives });
      try {
        await writeOnce(folder, createFileName(mail.to), message.message as Buffer);
      } catch (error) {
        throw new MailRefused((error as NodeJS.ErrnoException).code ?? 'EUNKNOWN', false);
      }
      // An unreadable folder does no harm here, because the next cleanup tries again.
      if (written++ % sweepAfter === 0) await sweepFolder(folder).catch(() => {});
    },
    close: () => {},
  };
}

/** Builds a part without encoding, because people read these files and follow the links in them. */
const readable = (type: string, content: string) => ({
  raw: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${content}`,
});

/** `<time>-<to>.eml`, for any address; `attempt` distinguishes mails of the same millisecond. */
const createFileName = (to: string) => (attempt: number) => {
  const time = new Date(Date.now() + attempt).toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
  return `${time}-${to.replaceAll(/[^a-zA-Z0-9@._+-]/g, '_').slice(0, 100)}.eml`;
};

/**
 * Writes a file of mode 0600 atomically, without replacing an existing one. Does not sync to the disk, because the
 * folder is only for people to look into and keeps a thousand files. Uses asynchronous calls even for these few
 * kilobytes: with a load of checkouts, waiting for the file system took a tenth of the process's time.
 */
async function writeOnce(
  folder: string,
  createName: (attempt: number) => string,
  content: Buffer,
): Promise<void> {
  const fresh = join(folder, `.${randomUUID()}.new`);
  try {
    await writeFile(fresh, content, { flag: 'wx', mode: 0o600 });
    for (let attempt = 0; ; attempt++) {
      try {
        return await link(fresh, join(folder, createName(attempt)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 100) throw error;
      }
    }
  } finally {
    await rm(fresh, { force: true });
  }
}

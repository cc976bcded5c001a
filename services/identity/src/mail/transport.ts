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
  /** In place of the system's name, which sends it all the same. */
  senderName?: string;
  /** Where answers go; null: nowhere. */
  replyTo?: string | null;
  /** A PNG that the HTML shows by `cid:logo`. */
  logo?: Buffer | null;
}

/** How mails leave the house. */
export interface Transport {
  /** Throws a MailRefused; after `signal`, whatever happened till then. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** A mail was not taken. What the server said is in no message: it names addresses. */
export class MailRefused extends Error {
  /** Trying again leads to nothing: the server does not take mail for that address, `decisions.md 15.1`. */
  readonly isFinal: boolean;

  /** `code` is the library's, with the step and the status of SMTP where it came that far: `EENVELOPE RCPT TO 550`. */
  constructor(code: string, isFinal: boolean) {
    super(code);
    this.isFinal = isFinal;
  }
}

/** Where mails go: to an SMTP server, or into a folder. */
export interface MailSettings {
  /** Null: there is none. */
  smtpUrl: string | null;
  from: { name: string; address: string };
  /** Where mails are kept without an SMTP server. */
  folder: string;
}

/** How many mails one copy of the service sends at once. */
export const mailsAtOnce = 10;

/** Opens the transport of the settings, and says in the log where mails go instead of to a server. Throws a StartError. */
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

const headed = (from: MailSettings['from'], { to, subject, senderName, replyTo, logo }: OutgoingMail) => ({
  from: { ...from, name: senderName ?? from.name },
  ...(replyTo && { replyTo: { name: '', address: replyTo } }),
  ...(logo && {
    attachments: [{ filename: 'logo.png', cid: 'logo', content: logo, contentType: 'image/png' }],
  }),
  // An object: of a text, each part between commas would be an address.
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
    maxConnections: mailsAtOnce,
    // The queue is the table's; a second one would keep mails beyond their lease.
    maxRequeues: 0,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 20_000,
    idleTimeout: 30_000,
  });
  return {
    async send(mail, signal) {
      // SMTP has no way to say these two; without them it would be another's address.
      if (/[<>]/.test(mail.to)) throw new MailRefused('EENVELOPE', true);
      try {
        const { text, html } = mail;
        await mailer.sendMail({ ...headed(from, mail), text, html, signal });
      } catch (error) {
        throw refusalOf(error as SmtpError);
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

function refusalOf({ code = 'EUNKNOWN', command, responseCode }: SmtpError): MailRefused {
  const isRecipient = command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500;
  const words = [code, command, responseCode].filter((word) => word !== undefined);
  return new MailRefused(words.join(' '), isRecipient);
}

/** How many files a folder keeps, and after how many more it is looked at. */
const mostFiles = 1_000;
const sweepAfter = 200;

/** Deletes the oldest mails of a folder, whose names begin with their times. */
async function sweepFolder(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  for (const name of files.slice(0, -mostFiles)) await unlink(join(folder, name)).catch(() => {});
}

function openFolder(folder: string, from: MailSettings['from']): Transport {
  let written = 0;
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const alternatives = [readable('text/plain', mail.text), readable('text/html', mail.html)];
      const sent = await composer.sendMail({ ...headed(from, mail), alternatives });
      try {
        await writeOnce(folder, fileNameOf(mail.to), sent.message as Buffer);
      } catch (error) {
        throw new MailRefused((error as NodeJS.ErrnoException).code ?? 'EUNKNOWN', false);
      }
      // Of a folder that cannot be read now nothing is lost: the next time it is.
      if (written++ % sweepAfter === 0) await sweepFolder(folder).catch(() => {});
    },
    close: () => {},
  };
}

/** A part that is not encoded: files are read by people, who follow the links in them. */
const readable = (type: string, content: string) => ({
  raw: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${content}`,
});

/** `<time>-<to>.eml`, for whatever address; two of the same millisecond differ by `attempt`. */
const fileNameOf = (to: string) => (attempt: number) => {
  const time = new Date(Date.now() + attempt).toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
  return `${time}-${to.replaceAll(/[^a-zA-Z0-9@._+-]/g, '_').slice(0, 100)}.eml`;
};

/**
 * Writes a file of mode 0600 that is there whole or not at all, and never takes another's place. Not down to the disk: the
 * folder is for people to look into, and keeps a thousand. And not at once, though they are some kilobytes: under a load of
 * checkouts to wait for the file system was a tenth of the process's time.
 */
async function writeOnce(
  folder: string,
  nameOf: (attempt: number) => string,
  content: Buffer,
): Promise<void> {
  const fresh = join(folder, `.${randomUUID()}.new`);
  try {
    await writeFile(fresh, content, { flag: 'wx', mode: 0o600 });
    for (let attempt = 0; ; attempt++) {
      try {
        return await link(fresh, join(folder, nameOf(attempt)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 100) throw error;
      }
    }
  } finally {
    await rm(fresh, { force: true });
  }
}

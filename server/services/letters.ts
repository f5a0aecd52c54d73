import { invitationLetter, resetLetter, testLetter, waitingLetter } from '#server/mail/letter-texts';
import type { Mailer } from '#server/mail/mailer';
import type { Accounts } from '#server/auth/accounts';
import type { PasswordToken } from '#server/auth/password-links';
import { callReachOf, type CallRequestStore } from '#server/core/call-requests';
import { messageOf } from '#server/core/errors';
import { type PasswordLink, type Person, sitesFor } from '#server/core/people';
import { allows, scopesOfRole } from '#server/core/access-rights';
import type { TurnStore } from '#server/core/turn-store';
import type { MailTest } from '#server/core/settings-report';

/** Mails to people about their accounts, and about what waits for them. */
export interface Letters {
  /**
   * Mails somebody the link to choose a password with. Where that cannot be mailed, the link is in the outcome, to be handed over.
   * @param by who sends it; null: its reader asked for it
   */
  sendPasswordLink(person: Person, token: PasswordToken, by: string | null): Promise<PasswordLink>;
  /** Something may have begun to wait for approval: whoever may decide it is mailed, if it still waits a while later. */
  somethingWaits(): void;
  close(): void;
}

export interface LettersDeps {
  /** Null: nothing is mailed. */
  readonly mailer: Mailer | null;
  readonly accounts: Pick<Accounts, 'origin' | 'people'>;
  readonly turns: Pick<TurnStore, 'editorialCalls'>;
  readonly callRequests: Pick<CallRequestStore, 'list'>;
  readonly onFault: (message: string, error: unknown) => void;
  /** Wait before something is mailed, and time between mails to one person; milliseconds. */
  readonly pace?: { readonly firstMs: number; readonly nextMs: number };
}

/** Default pace: people at their screens see it in time; no long turn sends a mail for each page. */
const PACE = { firstMs: 2 * 60_000, nextMs: 10 * 60_000 };

const LINK_PATH = '/login/new-password';
const WAITING_PATH = '/account';

export function createLetters({ mailer, accounts, onFault, pace = PACE, ...stores }: LettersDeps): Letters {
  const { origin, people } = accounts;
  const notices = new WaitingNotices({ ...stores, people, pace, onFault }, async (person, calls) => {
    const letter = waitingLetter({ name: person.name, origin, page: `${origin}${WAITING_PATH}`, calls });
    await mailer?.send({ to: person.email, ...letter });
  });
  // What the process before this one had no time to mail.
  if (mailer) notices.look();
  return {
    async sendPasswordLink(person, { token, purpose, expiresAt }, by) {
      // Behind the #, no server, proxy or log on the way reads it.
      const link = `${origin}${LINK_PATH}#${new URLSearchParams({ token, email: person.email, purpose })}`;
      const letter = { name: person.name, origin, link, expiresAt };
      const handed = { link, mailedTo: null, expiresAt };
      if (!mailer) return { ...handed, problem: null };
      try {
        const mail =
          purpose === 'invitation' ? invitationLetter(letter, by ?? 'An administrator') : resetLetter(letter, by);
        await mailer.send({ to: person.email, ...mail });
        return { link: null, mailedTo: person.email, problem: null, expiresAt };
      } catch (error) {
        return { ...handed, problem: messageOf(error) };
      }
    },
    somethingWaits: () => {
      if (mailer) notices.look();
    },
    close: () => notices.close(),
  };
}

/** Sends a mail that says it works. What the mail server says is told as it is: who runs this server has to mend it. */
export async function sendTestMail(mailer: Mailer | null, origin: string, to: string): Promise<MailTest> {
  if (!mailer)
    return { ok: false, message: 'No mail server is set: set SMTP_URL and MAIL_FROM, and start the server again.' };
  try {
    await mailer.send({ to, ...testLetter(origin) });
    return { ok: true, message: `The mail server took the mail to ${to}. Look whether it arrives.` };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

interface WaitingCall {
  readonly id: string;
  readonly asks: string;
  readonly summary: string;
  readonly createdAt: number;
}

type NoticesDeps = Pick<LettersDeps, 'turns' | 'callRequests' | 'onFault'> &
  Required<Pick<LettersDeps, 'pace'>> & { readonly people: Pick<Accounts['people'], 'list'> };

type SendNotice = (person: Person, calls: readonly WaitingCall[]) => Promise<void>;

/** Attempts to mail somebody what waits; the next call that waits begins anew. */
const MOST_TRIES = 3;

/** Tells each person once of each call that waits for them, together with the others. */
class WaitingNotices {
  readonly #deps: NoticesDeps;
  readonly #send: SendNotice;
  /** Calls told to each person, when last, and how often that has failed since. */
  readonly #told = new Map<
    string,
    { readonly ids: ReadonlySet<string>; readonly at: number; readonly fails: number }
  >();
  /** Calls that were asked before are taken as told: by the process before this one. */
  readonly #from: number;
  #timer: NodeJS.Timeout | null = null;
  #due = Infinity;

  constructor(deps: NoticesDeps, send: SendNotice) {
    this.#deps = deps;
    this.#send = send;
    this.#from = Date.now() - deps.pace.nextMs;
  }

  look(): void {
    this.#lookIn(this.#deps.pace.firstMs);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #lookIn(ms: number): void {
    const due = Date.now() + ms;
    if (this.#timer && this.#due <= due) return;
    this.close();
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#tell().catch((error: unknown) => this.#deps.onFault('Nobody could be mailed what waits for them', error));
    }, ms).unref();
  }

  async #tell(): Promise<void> {
    const { people, pace, onFault } = this.#deps;
    const now = Date.now();
    let isLater = false;
    for (const person of (await people.list()).filter(mayDecide)) {
      const calls = await this.#waitingFor(person);
      const former = this.#told.get(person.id);
      const isNew = calls.some(({ id, createdAt }) => createdAt >= this.#from && former?.ids.has(id) !== true);
      if (!isNew) continue;
      if (former && former.at + pace.nextMs > now) {
        isLater = true;
        continue;
      }
      const told = { ids: new Set(calls.map(({ id }) => id)), at: now, fails: 0 };
      this.#told.set(person.id, told);
      await this.#send(person, calls).catch((error: unknown) => {
        const fails = (former?.fails ?? 0) + 1;
        if (fails < MOST_TRIES) {
          // Tried again, as what comes too soon is.
          this.#told.set(person.id, { ids: former?.ids ?? new Set(), at: now, fails });
          isLater = true;
        }
        onFault(`${person.id} could not be mailed what waits for them`, error);
      });
    }
    if (isLater) this.#lookIn(pace.nextMs);
  }

  async #waitingFor({ id: userId, role, sites: own }: Person): Promise<readonly WaitingCall[]> {
    const { turns, callRequests } = this.#deps;
    const sites = sitesFor(role, own);
    const reach = callReachOf({ userId, scopes: scopesOfRole[role], sites });
    // Administrators may decide everybody's calls; they are mailed those that nobody else can.
    const others = reach.others === 'none' ? 'none' : 'authors';
    const asked = (await callRequests.list({ userId, others, sites })).filter(({ status }) => status === 'pending');
    const editorial = await turns.editorialCalls({ sites });
    return [
      ...editorial.map(({ partId, userName, toolName, effect, createdAt }) => ({
        id: partId,
        createdAt,
        asks: userName,
        summary: effect?.summary ?? toolName,
      })),
      ...asked.map(({ id, keyName, toolName, effect, createdAt }) => ({
        id,
        createdAt,
        asks: keyName ?? 'Another assistant',
        summary: effect?.summary ?? toolName,
      })),
    ];
  }
}

function mayDecide({ role, banned, isInvited }: Person): boolean {
  return !banned && !isInvited && allows(scopesOfRole[role], 'content:write');
}

import type { FaultLog } from '#server/core/process';
import type { ServerText } from '#server/core/coded-message';
import { textFromRow, uncodedText } from '#server/core/message-data';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import type { EmailedCall } from '#server/platform/mail/email-texts';
import type { EditorialCalls } from '#server/core/conversation/turn-store';
import type { ApprovalMailRepository } from '#server/conversation/store/approval-mail-repository';
import type { PeopleList } from '#server/platform/auth/people';
import { callReachOf, type CallRequestList } from '#server/core/conversation/pending-approvals';
import type { Person } from '#server/core/admin/people';
import { sitesFor } from '#server/core/admin/site-access';
import { allows, scopesOfRole } from '#server/core/admin/access-rights';

/** A call that waits for an approval. */
interface WaitingCall extends EmailedCall {
  readonly id: string;
  readonly createdAt: number;
}

/** What the notices are made from. */
export interface ApprovalNoticesDeps extends FaultLog {
  readonly people: PeopleList;
  readonly turns: EditorialCalls;
  readonly callRequests: CallRequestList;
  readonly approvalMails: ApprovalMailRepository;
  readonly pace: NoticePace;
}

/** Delays in milliseconds. */
export interface NoticePace {
  /** Before a person is mailed about an approval. */
  readonly firstMs: number;
  /** Between two such mails to one person. */
  readonly nextMs: number;
}

type SendNotice = (person: Person, calls: readonly WaitingCall[]) => Promise<void>;

/** Maximum attempts to mail a person about the same approvals. The next approval starts a new series. */
const MAX_ATTEMPTS = 3;

/** Mails each person once about each approval that waits for them, several in one mail. */
export class ApprovalNotices {
  readonly #deps: ApprovalNoticesDeps;
  readonly #send: SendNotice;
  /** By person: when the last attempt was made, and how many have failed in a row. */
  readonly #attempts = new Map<string, { readonly at: number; readonly fails: number }>();
  #timer: NodeJS.Timeout | null = null;
  /** When the timer runs out, epoch milliseconds. */
  #due = Infinity;

  constructor(deps: ApprovalNoticesDeps, send: SendNotice) {
    this.#deps = deps;
    this.#send = send;
  }

  /** Call this when an approval may have been requested. */
  scheduleCheck(): void {
    this.#checkIn(this.#deps.pace.firstMs);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Mails after this many milliseconds, unless that is planned earlier. */
  #checkIn(ms: number): void {
    const due = Date.now() + ms;
    if (this.#timer && this.#due <= due) return;
    this.close();
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#mailAll().catch((error: unknown) => this.#deps.onFault('Approval notices could not be mailed', error));
    }, ms).unref();
  }

  /** Mails everyone who may decide, and plans the next check. */
  async #mailAll(): Promise<void> {
    const waits: number[] = [];
    for (const person of (await this.#deps.people.list()).filter(mayDecide)) {
      const wait = await this.#mailOne(person);
      if (wait !== null) waits.push(wait);
    }
    if (waits.length > 0) this.#checkIn(Math.min(...waits));
  }

  /** @returns milliseconds until this person has to be checked again; null: not before another approval is requested */
  async #mailOne(person: Person): Promise<number | null> {
    const { pace, onFault, approvalMails } = this.#deps;
    const now = Date.now();
    const calls = await this.#waitingFor(person);
    const mailed = await approvalMails.mailed(
      person.id,
      calls.map(({ id }) => id),
    );
    const unmailed = calls.filter(({ id }) => !mailed.has(id));
    const isDue = ({ createdAt }: WaitingCall) => createdAt + pace.firstMs <= now;
    const [due, early] = [unmailed.filter(isDue), unmailed.filter((call) => !isDue(call))];
    const next = early.length === 0 ? null : Math.min(...early.map(({ createdAt }) => createdAt)) + pace.firstMs - now;
    if (due.length === 0) return next;
    const last = this.#attempts.get(person.id);
    if (last && last.at + pace.nextMs > now) return last.at + pace.nextMs - now;
    const claimed = await approvalMails.claim(
      person.id,
      due.map(({ id }) => id),
    );
    if (claimed.length === 0) return next;
    this.#attempts.set(person.id, { at: now, fails: 0 });
    try {
      await this.#send(person, calls.filter(isDue));
    } catch (error) {
      const fails = (last?.fails ?? 0) + 1;
      onFault(`${person.id} could not be mailed about waiting approvals`, error);
      if (fails >= MAX_ATTEMPTS) return next;
      this.#attempts.set(person.id, { at: now, fails });
      await approvalMails.release(person.id, claimed);
      return pace.nextMs;
    }
    return next;
  }

  /** The calls that this person may decide. */
  async #waitingFor({ id: userId, role, sites: own }: Person): Promise<readonly WaitingCall[]> {
    const { turns, callRequests } = this.#deps;
    const sites = sitesFor(role, own);
    const reach = callReachOf({ userId, scopes: scopesOfRole[role], sites });
    // Administrators may decide the calls of all users; they are mailed only those that no other person can decide.
    const others = reach.others === 'none' ? 'none' : 'authors';
    const asked = (await callRequests.list({ userId, others, sites })).filter(({ status }) => status === 'pending');
    const editorial = await turns.editorialCalls({ sites });
    return [
      ...editorial.map(({ partId, userName, toolName, effect, createdAt }) => ({
        id: partId,
        createdAt,
        asks: userName,
        summary: summaryOf(effect, toolName),
      })),
      ...asked.map(({ id, keyName, toolName, effect, createdAt }) => ({
        id,
        createdAt,
        asks: keyName,
        summary: summaryOf(effect, toolName),
      })),
    ];
  }
}

/** The effect of a call in one sentence; the name of its tool if the effect is unknown. */
function summaryOf(effect: ToolEffect | null, toolName: string): ServerText {
  return effect ? textFromRow(effect.summary, effect.message ?? null) : uncodedText(toolName);
}

/** True for a person who may decide calls and can sign in. */
function mayDecide({ role, banned, isInvited }: Person): boolean {
  return !banned && !isInvited && allows(scopesOfRole[role], 'content:write');
}

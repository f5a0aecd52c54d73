import type { Clock, FaultLog } from '#server/core/process';
import { BudgetReachedError } from '#server/core/errors';
import {
  type Bill,
  type Budget,
  type BudgetScope,
  budgetScopes,
  NEAR_BUDGET_SHARE,
  type Spent,
  type Sums,
  type Payer,
} from '#server/core/admin/spending';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import type { SpendingAccount } from '#server/models/metered-model';

/** Stores what was spent, for all processes of an installation. */
export interface SpendingStore {
  /** @param day of the call (UTC): `2026-11-24` */
  add(spent: Spent, day: string): Promise<void>;
  /** Sums spent since a day by everyone and by a person, and in total in a conversation. US dollars. */
  sums(bill: Payer, since: string): Promise<Sums>;
}

/** US dollars; 0: no budget. */
interface BudgetSettings {
  readonly monthBudget: number;
  readonly personBudget: number;
  readonly conversationBudget: number;
}

/** Where costs are stored, and where the budgets are set. */
export interface SpendingOptions extends FaultLog, Partial<Clock> {
  readonly store: SpendingStore;
  readonly settings: { readonly current: () => BudgetSettings; readonly refresh: () => Promise<void> };
}

/** The setting of each budget, US dollars; 0: no budget. */
const settingOf = {
  install: 'monthBudget',
  person: 'personBudget',
  conversation: 'conversationBudget',
} as const satisfies Record<BudgetScope, keyof BudgetSettings>;

/**
 * Costs of models, and the budgets that limit them. The sums are in the database, so that a budget holds for all
 * processes: each checks it before every call to a paid model, so that only calls already running can exceed it.
 */
export class Spending implements SpendingAccount {
  readonly #options: SpendingOptions;
  readonly #now: () => number;
  /** Records that the store has refused: they are written with the next one. */
  #owed: { readonly spent: Spent; readonly day: string }[] = [];
  readonly #writing = new Set<Promise<void>>();

  constructor(options: SpendingOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async require(bill: Bill): Promise<void> {
    if (!(await this.#reached(bill))) return;
    // The budget may just have been raised in another process: reads the settings now instead of waiting for the next
    // refresh.
    await this.#options.settings.refresh();
    const reached = await this.#reached(bill);
    if (reached) throw new BudgetReachedError(this.#text(reached), { details: { scope: reached.scope } });
  }

  record(spent: Spent): Promise<void> {
    const written = this.#add(spent).finally(() => this.#writing.delete(written));
    this.#writing.add(written);
    return written;
  }

  /**
   * The budgets that apply to a person, or to one of their conversations, fullest first.
   * @param tellsAll include amounts of the whole installation, for administrators
   */
  async budgets(of: Payer, tellsAll: boolean): Promise<Budget[]> {
    const budgets = await this.#states(of);
    return budgets
      .filter(({ scope }) => scope !== 'conversation' || of.sessionId !== null)
      .map(({ scope, spent, limit, share }): Budget => {
        const level = share >= 1 ? 'reached' : share >= NEAR_BUDGET_SHARE ? 'near' : 'fine';
        const isTold = tellsAll || scope !== 'install';
        return { scope, share, level, spent: isTold ? spent : null, limit: isTold ? limit : null };
      })
      .toSorted((one, other) => other.share - one.share);
  }

  /** Waits until everything is stored. */
  async close(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  async #add(spent: Spent): Promise<void> {
    const owed = [...this.#owed.splice(0), { spent, day: this.#day() }];
    for (const entry of owed) {
      try {
        await this.#options.store.add(entry.spent, entry.day);
      } catch (error) {
        this.#owed.push(entry);
        this.#options.onFault('What a model call cost could not be written down; it is tried again', error);
      }
    }
  }

  async #reached(bill: Bill): Promise<BudgetState | undefined> {
    const states = await this.#states(bill);
    return states.find(({ share }) => share >= 1);
  }

  /** The configured budgets, with the amount spent from each. */
  async #states(of: Payer): Promise<BudgetState[]> {
    const settings = this.#options.settings.current();
    const set = budgetScopes.filter((scope) => settings[settingOf[scope]] > 0);
    if (set.length === 0) return [];
    const spent = await this.#options.store.sums(of, `${this.#day().slice(0, 7)}-01`);
    const unwritten = this.#owed.reduce((sum, entry) => sum + (entry.spent.cost ?? 0), 0);
    return set.map((scope) => {
      const limit = settings[settingOf[scope]];
      const sum = spent[scope] + unwritten;
      return { scope, spent: sum, limit, share: sum / limit };
    });
  }

  #day(): string {
    return new Date(this.#now()).toISOString().slice(0, 10);
  }

  #text({ scope, ...state }: BudgetState): ServerText {
    const [spent, limit] = [dollars(state.spent), dollars(state.limit)];
    const next = new Date(this.#now());
    const until = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
    switch (scope) {
      case 'install':
        return serverText('budget-install', { until });
      case 'person':
        return serverText('budget-person', { spent, limit, until });
      case 'conversation':
        return serverText('budget-conversation', { spent, limit });
    }
  }
}

interface BudgetState {
  readonly scope: BudgetScope;
  readonly spent: number;
  readonly limit: number;
  readonly share: number;
}

const dollars = (amount: number) => `$${amount.toFixed(2)}`;

import { desc, sql } from 'drizzle-orm';
import type { CompactionComplete } from '#server/core/conversation/events';
import type { ProgramCompaction } from '#server/core/admin/program-compactions';
import { createId } from '#server/core/ids';
import type { Database } from '#server/platform/database/database';
import { programCompactions } from '#server/platform/database/schema/sessions';
import type { Watch } from '#server/platform/telemetry/watch';

/** Number of compactions that are stored; older ones are deleted. */
const MAX_STORED = 1_000;
/** Number of compactions that are listed. */
const MAX_LISTED = 50;

/** Receives the compactions of conversations that programs store. */
export interface ProgramCompactionSink {
  /** Must not throw. */
  add(modelId: string, compaction: CompactionComplete): void;
}

/** What `ProgramCompactions` needs. */
interface ProgramCompactionsDependencies {
  readonly database: Database;
  readonly watch: Watch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onFault: (message: string, error: unknown) => void;
}

/** Compactions of conversations that programs store: counted, logged, and stored for administrators. */
export class ProgramCompactions implements ProgramCompactionSink {
  readonly #deps: ProgramCompactionsDependencies;

  constructor(dependencies: ProgramCompactionsDependencies) {
    this.#deps = dependencies;
  }

  add(modelId: string, compaction: CompactionComplete): void {
    const { watch, onFault } = this.#deps;
    const { strategy, tokensBefore, tokensAfter, messagesCompacted, durationMs } = compaction;
    watch.programCompaction({ modelId, strategy, tokensBefore, tokensAfter, messagesCompacted, durationMs });
    // The answer does not wait for it.
    this.#store({ modelId, strategy, tokensBefore, tokensAfter, messagesCompacted, durationMs }).catch(
      (error: unknown) => onFault('A compaction of a program cannot be stored', error),
    );
  }

  /** The newest ones, newest first. */
  list(): Promise<ProgramCompaction[]> {
    return this.#deps.database.read
      .select()
      .from(programCompactions)
      .orderBy(desc(programCompactions.id))
      .limit(MAX_LISTED);
  }

  #store(figures: Omit<ProgramCompaction, 'id' | 'createdAt'>): Promise<void> {
    const { database, now } = this.#deps;
    return database.write(async (tx) => {
      await tx.insert(programCompactions).values({ id: createId('prc'), ...figures, createdAt: now() });
      await tx
        .delete(programCompactions)
        .where(
          sql`${programCompactions.id} in (select id from program_compactions order by id desc limit -1 offset ${MAX_STORED})`,
        );
    });
  }
}

import type { JsonValue } from '#server/core/json';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import type { PullProgress, RemoteAbility } from '#server/core/site/remote-site';
import type { ContentBackend } from '#server/site/content-backend';

/** The content of a connected site: a CMS adapter that keeps a copy of the content in the local database. */
export interface ConnectedContent {
  readonly content: ContentBackend;
  /**
   * Updates the copy with what has changed on the site. What was copied before an abort or a failure is kept; the next
   * pull continues from there.
   * @throws SiteUnavailableError, ForbiddenError
   */
  pull(onProgress?: (progress: PullProgress) => void, signal?: AbortSignal): Promise<void>;
  /**
   * Runs a function that a plugin of the site offers. Changes that the copy can see are recorded in the journal with
   * their previous values, as changes of `origin`. Absent: this kind of site offers no functions.
   */
  readonly runAbility?: (
    ability: RemoteAbility,
    input: JsonValue | undefined,
    origin: ChangeOrigin,
    signal?: AbortSignal,
  ) => Promise<AbilityOutcome>;
}

/** Result of a function of a site's plugin. */
export interface AbilityOutcome {
  readonly result: JsonValue;
  /** What changed in the copy. */
  readonly changes: readonly ChangeSet[];
  /** False: what it changed is unknown. */
  readonly isRead: boolean;
}

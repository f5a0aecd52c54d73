import { createApiKeys } from '#server/platform/auth/api-keys';
import { createAuthenticator } from '#server/platform/auth/authenticator';
import { AuthorizationServer } from '#server/platform/auth/oauth/authorization-server';
import { ClientDocuments } from '#server/platform/auth/oauth/client-documents';
import { OAuthRepository } from '#server/platform/auth/oauth/oauth-repository';
import { createLimits } from '#server/platform/auth/limits';
import { createApiKeyRepository } from '#server/platform/auth/store/api-key-repository';
import { createMailer } from '#server/platform/mail/mailer';
import type { ProcessContext } from '#server/platform/process-context';
import { countRunningTurns } from '#server/conversation/store/turn-rows';
import { openAccounts } from '#server/services/accounts';

/** Who may use the server: accounts, keys and rate limits; and the mail server that reaches them. */
export async function openAccess(process: ProcessContext) {
  const { env, database, redis, now, onFault } = process;
  const { SMTP_URL, MAIL_FROM } = env;
  const accounts = await openAccounts(process);
  const keys = createApiKeys({
    store: createApiKeyRepository(database),
    hasAccounts: env.AUTH_MODE === 'accounts',
    onFault,
  });
  const oauth =
    accounts === null || env.AUTH_SECRET === undefined
      ? null
      : new AuthorizationServer({
          origin: accounts.origin,
          secret: env.AUTH_SECRET,
          store: new OAuthRepository(database, now),
          documents: new ClientDocuments({ now }),
          keys,
          now,
          onFault,
        });
  return {
    /** Connects other assistants to `/mcp`; null in local mode. */
    oauth,
    /** Finds the principal of a request. */
    authenticator: createAuthenticator({ accounts, keys, oauth }),
    /** Accounts of people; null in local mode, which has no sign-in. */
    accounts,
    /** API keys of programs. */
    keys,
    /** Rate limits. */
    limits: createLimits({
      requestsPerMinute: env.REQUESTS_PER_MINUTE,
      turnsPerMinute: env.TURNS_PER_MINUTE,
      v1PerMinute: env.MODEL_REQUESTS_PER_MINUTE,
      runningTurns: env.RUNNING_TURNS,
      pagesPerMinute: env.PAGES_PER_MINUTE,
      openStreams: env.OPEN_STREAMS,
      countRunning: (userId) => countRunningTurns(database.read, { userId }),
      shared: redis,
    }),
    /** Sends mail; null if no mail server is set. */
    mailer: SMTP_URL !== undefined && MAIL_FROM !== undefined ? createMailer({ url: SMTP_URL, from: MAIL_FROM }) : null,
  };
}

import { eq } from 'drizzle-orm';
import type { SignInApi } from '#server/platform/auth/better-auth';
import type { Principal } from '#server/core/admin/access-rights';
import { principalOf } from '#server/core/admin/people';
import type { Database } from '#server/platform/database/database';
import { signIns, type users } from '#server/platform/database/schema/people';

/** The sign-in of a browser, identified by the cookie in the headers of its request. */
export class BrowserSignIn {
  readonly #database: Database;
  readonly #api: SignInApi;

  constructor(database: Database, api: SignInApi) {
    this.#database = database;
    this.#api = api;
  }

  /** The stored sign-in and its user; null if nobody is signed in. Does not extend the sign-in. */
  read(headers: Headers) {
    return this.#api.getSession({ headers, query: { disableRefresh: true } });
  }

  /** The user who is signed in; null if nobody is signed in, or the user is banned. */
  async principal(headers: Headers): Promise<Principal | null> {
    const found = await this.read(headers);
    if (!found || found.user.banned) return null;
    const principal = principalOf(found.user as unknown as typeof users.$inferSelect);
    const { createdAt, authenticatedAt } = found.session;
    // 0: the OpenID Connect provider has not reported when the person signed in there.
    const signedInAt = (authenticatedAt ?? createdAt).getTime();
    return { ...principal, signedInAt, ...(signedInAt === 0 && { enteredAt: createdAt.getTime() }) };
  }

  /** Records when the signed-in person last proved their identity. @param time epoch milliseconds, 0 if unknown */
  async setAuthenticated(headers: Headers, time: number): Promise<void> {
    const found = await this.read(headers);
    if (!found) return;
    const isThisSignIn = eq(signIns.id, found.session.id);
    await this.#database.write((tx) =>
      tx
        .update(signIns)
        .set({ authenticatedAt: new Date(time) })
        .where(isThisSignIn)
        .run(),
    );
  }

  /** Ends the sign-in, if there is one. */
  async end(headers: Headers): Promise<void> {
    const found = await this.read(headers);
    if (found) await this.#database.write((tx) => tx.delete(signIns).where(eq(signIns.id, found.session.id)).run());
  }
}

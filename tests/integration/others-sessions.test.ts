import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionSchema } from '#server/core/conversation/sessions';
import type { Services } from '#server/services';
import { answerOf, callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';

/* An editor cannot undo the changes of another editor's conversation by naming it. */

const ORIGIN = 'http://localhost';
const PASSWORD = 'a kiln full of saltmarsh mugs';

let all: Services;

beforeAll(async () => {
  const secret = 'only-for-tests-0123456789abcdefghijklmnop';
  all = await serve(startTestServices({ AUTH_MODE: 'accounts', AUTH_SECRET: secret, PUBLIC_URL: ORIGIN }));
});
afterAll(stopServing);

async function signedIn(name: string, role: 'admin' | 'editor') {
  const email = `${name}@kiln.example`;
  const { id } = await all.accounts!.people.create({ name, email, password: PASSWORD, role });
  const answer = await callRoute('POST', '/api/auth/sign-in', {
    body: { email, password: PASSWORD },
    headers: { origin: ORIGIN },
  });
  const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0]);
  return { id, headers: { origin: ORIGIN, cookie: cookie.join('; ') } };
}

it('undo and bring-back refuse the conversation of another person, and take one’s own', async () => {
  const admin = await signedIn('ada', 'admin');
  const [edith, otto] = [await signedIn('edith', 'editor'), await signedIn('otto', 'editor')];
  const session = await answerOf(sessionSchema, 201, 'POST', '/api/sessions', { body: {}, headers: edith.headers });
  const origin = { actor: 'user' as const, userId: edith.id, sessionId: session.id };
  const { content } = all.builtIn;
  const { change } = await content.create({ type: 'page', title: 'Mugs', sections: [] }, origin);
  const undo = { sessionId: session.id, all: true, dryRun: true };
  const back = { sessionId: session.id, changeId: change.id, dryRun: true };
  const status = async (who: typeof admin, path: string, body: object) =>
    (await callRoute('POST', `/api/content/${path}`, { body, headers: who.headers })).status;
  for (const body of [undo, { sessionId: session.id }, { changeIds: [change.id], sessionId: session.id }])
    expect(await status(otto, 'undo', body)).toBe(404);
  expect(await status(otto, 'bring-back', back)).toBe(404);
  for (const who of [edith, admin])
    // 409: nothing was changed since.
    expect([await status(who, 'undo', undo), await status(who, 'bring-back', back)]).toEqual([200, 409]);
});

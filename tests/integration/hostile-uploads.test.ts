import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FILE_POLICY } from '#server/http/security-headers';
import type { Services } from '#server/services';
import { type HostileFile, hostileFiles } from '#tests/support/hostile-files';
import { photoWithPlace } from '#tests/support/pictures';
import { startTestServices } from '#tests/support/test-services';
import { callRoute, serve, stopServing } from '#tests/support/routes';

let services: Services;
let sessionId: string;

beforeAll(async () => {
  services = await serve(startTestServices());
  sessionId = (await services.sessions.create({ ownerId: 'own_local' })).id;
});
afterAll(stopServing);

function call(method: string, route: string, params: object, file?: Pick<HostileFile, 'filename' | 'bytes'>) {
  return callRoute(method, `/${route}`, {
    params,
    query: file ? `?filename=${encodeURIComponent(file.filename)}` : '',
    // What a client says of its bytes counts for nothing.
    headers: { 'content-type': 'image/png' },
    body: file && new Uint8Array(file.bytes),
  });
}

const attached = z.object({ id: z.string(), mediaType: z.string() });
const pictured = z.object({ asset: z.object({ id: z.string(), url: z.string() }) });
const attach = (file: Pick<HostileFile, 'filename' | 'bytes'>) =>
  call('POST', 'api/sessions/[id]/attachments', { id: sessionId }, file);
const addPicture = (file: Pick<HostileFile, 'filename' | 'bytes'>) => call('POST', 'api/content/media', {}, file);

/** It is shown as what it is or saved as plain text, and nothing in it can run. */
function expectInert({ headers }: Response, kind: 'text' | 'image'): void {
  expect(headers.get('content-type')).toMatch(kind === 'image' ? /^image\/(png|gif|jpeg)$/ : /^text\/plain; charset/);
  expect(headers.get('content-disposition')).toMatch(kind === 'image' ? /^inline/ : /^attachment/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toBe(FILE_POLICY);
}

describe.each(Object.entries(hostileFiles))('%s', (_, file) => {
  it('attached to a message is refused, or does nothing', async () => {
    const files = services.attachments.filesOf(sessionId);
    const before = await files.list();
    const response = await attach(file);
    if (typeof file.attached === 'number') {
      expect(response.status).toBe(file.attached);
      expect(await files.list()).toEqual(before);
      return;
    }
    expect(response.status).toBe(201);
    const { id } = attached.parse(await response.json());
    expectInert(await call('GET', 'api/attachments/[id]', { id }), file.attached);
  });

  it('as a picture of the site is refused, or does nothing', async () => {
    const before = await services.builtIn.content.assets.list({});
    const response = await addPicture(file);
    if (typeof file.pictured === 'number') {
      expect(response.status).toBe(file.pictured);
      expect(await services.builtIn.content.assets.list({})).toEqual(before);
      return;
    }
    expect(response.status).toBe(201);
    const { id, url } = pictured.parse(await response.json()).asset;
    const filename = url.split('/').at(-1)!;
    expectInert(await call('GET', 'media/[id]/[filename]', { id, filename }), file.pictured);
  });
});

it('a photo reveals no location, attached or on the site', async () => {
  const photo = { filename: 'phone.jpg', bytes: await photoWithPlace(90, 60) };
  const { id } = attached.parse(await (await attach(photo)).json());
  const { data, blob } = await services.attachments.read(id);
  expect([blob.size, Buffer.from(data).includes('GPS-PLACE')]).toEqual([data.length, false]);
  const { asset } = pictured.parse(await (await addPicture(photo)).json());
  const params = { id: asset.id, filename: 'phone.jpg' };
  for (const query of ['', '?size=thumb']) {
    const served = await callRoute('GET', '/media/[id]/[filename]', { params, query });
    expect(served.status).toBe(200);
    expect(Buffer.from(await served.arrayBuffer()).includes('GPS-PLACE'), query).toBe(false);
  }
});

import { passkeySchema } from '#server/core/admin/people';
import { requireAccounts } from '#server/http/sign-in-routes';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { newPasskeyBody } from '#server/http/schemas/access';

export const POST = route(
  {
    summary: 'Keeps a passkey that a browser has made',
    answer: { 201: passkeySchema },
    access: 'person',
    isFresh: 'or-first-factor',
    body: newPasskeyBody,
  },
  async ({ body: { name, answer }, services, request, audit }) => {
    const passkey = await requireAccounts(services).factors.addPasskey(request.headers, answer, name);
    await audit('second-factor-added', { target: passkey.name, details: { kind: 'passkey', id: passkey.id } });
    return created(passkey);
  },
);

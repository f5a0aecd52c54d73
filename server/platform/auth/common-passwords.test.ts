import { expect, it } from 'vitest';
import { isCommonPassword } from '#server/platform/auth/common-passwords';
import { createPeople } from '#server/platform/auth/people';
import { itWithDatabase } from '#tests/support/test-database';

it.each([
  'password1234',
  'Password1234',
  'PASSWORD-2026',
  'P@ssw0rd1234',
  'pa$$word12345',
  'passwordpassword',
  'password1password1',
  'adminpassword',
  'welcome welcome',
  'Welcome to 2026!'.replace(' to', ''),
  'qwertyuiop12',
  'qwerty123456',
  '1qaz2wsx3edc',
  '1q2w3e4r5t6y',
  '123456789012',
  '987654321098',
  '111111111111',
  '123123123123',
  'aaaaaaaaaaaa',
  'Aa1!Aa1!Aa1!',
  'abcdefghijkl',
  'iloveyou2026!',
  'administrator',
  'letmeinletmein',
  'changeme12345',
  'dragon monkey',
])('refuses %j, which is among the first that are tried', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

it.each([
  'a kiln full of mugs',
  'correct horse battery staple',
  'the right password',
  'not the right one',
  'x8$kQ9!zP2#mW',
  '48#29$71x!06',
  'Zq7vK2mXw9Lp',
  '739104628517',
  'Regenbogenforellenteich',
  'глина и печь',
])('accepts %j', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});

itWithDatabase(
  'refuses a common password of an owner, a new person, an invited person and for a change',
  async ({ db }) => {
    const people = createPeople(db);
    const ada = { name: 'Ada', email: 'ada@kiln.example' };
    const [common, good] = ['password1234', 'a kiln full of mugs'];
    const refusal = { code: 'invalid_input', message: expect.stringContaining('too common') as string };
    const code = (await people.offerOwner()) ?? '';
    await expect(people.createOwner({ ...ada, password: common }, code)).rejects.toMatchObject(refusal);
    const { id } = await people.createOwner({ ...ada, password: good }, code);
    await expect(people.update(id, { password: common })).rejects.toMatchObject(refusal);
    const bo = { name: 'Bo', email: 'bo@kiln.example', role: 'author' } as const;
    await expect(people.create({ ...bo, password: common })).rejects.toMatchObject(refusal);
    const invited = await people.create(bo);
    const { token } = await people.makePasswordToken(invited.id);
    await expect(people.usePasswordToken(token.token, common)).rejects.toMatchObject(refusal);
    expect((await people.usePasswordToken(token.token, good)).isInvited).toBe(false);
  },
);

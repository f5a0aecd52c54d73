import type { Page } from '@playwright/test';
import { accessStrings } from '#components/access/words.ts';
import { keyStrings } from '#components/keys/words.ts';
import { expectAccessible, expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { PASSWORD, signIn, startAccountsServer } from '#tests/support/accounts-server';
import { authenticatorApp } from '#tests/support/authenticator-app';
import { openThings } from '#tests/support/editors-things';
import { freePort } from '#tests/support/free-port';

const { account, again, factors, login } = accessStrings;

/** A device of Chromium's own that keeps passkeys and asks for a finger. */
async function withDevice(page: Page) {
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** The finger is known, or not. */
    setKnown: (isUserVerified: boolean) =>
      devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

test('a passkey and an authenticator app are set up, requested, used and removed', async ({ page }) => {
  // Passkeys belong to names, not to numbers.
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  await using server = await startAccountsServer({ port, env: { PUBLIC_URL: origin } });
  using maker = await openThings(server.databaseFile);
  const { editor } = server.people;
  await takeCookie(page.context(), await signIn(server.url, origin, editor.email), origin);
  const device = await withDevice(page);
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click();
  const signOut = async () => {
    await page.getByRole('button', { name: account.open('Edith Editor') }).click();
    await page.getByRole('menuitem', { name: account.signOut }).click();
    await page.waitForURL(/\/login/);
    await expect(page.getByRole('heading', { name: login.title })).toBeVisible();
  };

  await page.goto(`${origin}/account`);
  await press(factors.addPasskey);
  await field(factors.passkeyName).fill('Laptop');
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  await press(factors.next);
  const passkeys = page.getByRole('region', { name: factors.passkeys });
  await expect(passkeys.getByText('Laptop')).toBeVisible();

  await press(factors.turnOn);
  await field(factors.password).fill('not the right one');
  await press(factors.next);
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('not your present password');
  await field(factors.password).fill(PASSWORD);
  await press(factors.next);
  await expect(page.getByRole('img', { name: factors.picture })).toBeVisible();
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  const app = authenticatorApp((await field(factors.key).textContent()) ?? '');
  const [recovery = ''] = ((await field(factors.recoveryTitle).textContent()) ?? '').split(' ');
  await field(login.code).fill('000000');
  await press(factors.confirm);
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  await field(login.code).fill(app.code());
  await press(factors.confirm);
  await expect(page.getByText(factors.totpOn)).toBeVisible();
  await expectAccessible(page);

  // A password alone does not sign in.
  await signOut();
  const withPassword = async () => {
    await field(login.email).fill(editor.email);
    await field(login.password).fill(PASSWORD);
    await press(login.submit);
    await expect(page.getByRole('heading', { name: login.codeTitle })).toBeVisible();
  };
  await withPassword();
  await expectAccessible(page);
  await page.goto(`${origin}/account`);
  await expect(page.getByRole('heading', { name: login.title })).toBeVisible();
  await withPassword();
  // The one that confirmed the app is used up.
  await field(login.code).fill(app.code(1));
  await press(login.submit);
  await expect(page).toHaveURL(`${origin}/account`);
  await signOut();
  await page.goto(`${origin}/login?next=%2Faccount`);
  await withPassword();
  await press(login.toRecovery);
  await field(login.recovery).fill(recovery);
  await press(login.submit);
  await expect(page).toHaveURL(`${origin}/account`);

  // The device stands for both, if it knows the finger.
  await signOut();
  await page.goto(`${origin}/login?next=%2Faccount`);
  await device.setKnown(false);
  await press(login.passkey);
  // Next has a separate, empty alert.
  await expect(page.getByRole('alert').filter({ hasText: factors.passkeyStopped })).toBeVisible();
  await device.setKnown(true);
  await press(login.passkey);
  await expect(page).toHaveURL(`${origin}/account`);

  await maker.signedInEarlier(editor.id);
  await press(keyStrings.add);
  await field(keyStrings.form.name).fill('Newsletter');
  await page.getByRole('button', { name: keyStrings.form.save, exact: true }).click();
  const asked = page.getByRole('dialog', { name: again.title });
  await expectAccessible(page);
  await asked.getByRole('button', { name: login.passkey, exact: true }).click();
  await expect(page.getByRole('textbox', { name: keyStrings.shown.key, exact: true })).toHaveValue(/^tl_/);
  await press(keyStrings.shown.done);

  await press(factors.removeOf('Laptop'));
  await page.getByRole('alertdialog').getByRole('button', { name: factors.remove, exact: true }).click();
  await expect(passkeys.getByText(factors.none)).toBeVisible();
  await press(factors.turnOff);
  await field(factors.password).fill(PASSWORD);
  await page.getByRole('dialog').getByRole('button', { name: factors.turnOff, exact: true }).click();
  await expect(page.getByText(factors.totpOff)).toBeVisible();
});

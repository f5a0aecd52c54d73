import type { Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { expectAccessible, expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { PASSWORD, signIn, startAccountsServer } from '#tests/support/accounts-server';
import { authenticatorApp } from '#tests/support/authenticator-app';
import { openThings } from '#tests/support/editors-things';
import { freePort } from '#tests/support/free-port';

const tApiKeys = translator('apiKeys');

const tAccess = translator('access');

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
    await page.getByRole('button', { name: tAccess('account.open', { name: 'Edith Editor' }) }).click();
    await page.getByRole('menuitem', { name: tAccess('account.signOut') }).click();
    await page.waitForURL(/\/login/);
    await expect(page.getByRole('heading', { name: tAccess('login.title') })).toBeVisible();
  };

  await page.goto(`${origin}/account`);
  await press(tAccess('factors.addPasskey'));
  await field(tAccess('factors.passkeyName')).fill('Laptop');
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  await press(tAccess('factors.next'));
  const passkeys = page.getByRole('region', { name: tAccess('factors.passkeys') });
  await expect(passkeys.getByText('Laptop')).toBeVisible();

  await press(tAccess('factors.turnOn'));
  await field(tAccess('factors.password')).fill('not the right one');
  await press(tAccess('factors.next'));
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('not your present password');
  await field(tAccess('factors.password')).fill(PASSWORD);
  await press(tAccess('factors.next'));
  await expect(page.getByRole('img', { name: tAccess('factors.picture') })).toBeVisible();
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  const app = authenticatorApp((await field(tAccess('factors.key')).textContent()) ?? '');
  const [recovery = ''] = ((await field(tAccess('factors.recoveryTitle')).textContent()) ?? '').split(' ');
  await field(tAccess('login.code')).fill('000000');
  await press(tAccess('factors.confirm'));
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  await field(tAccess('login.code')).fill(app.code());
  await press(tAccess('factors.confirm'));
  await expect(page.getByText(tAccess('factors.totpOn'))).toBeVisible();
  await expectAccessible(page);

  // A password alone does not sign in.
  await signOut();
  const withPassword = async () => {
    await field(tAccess('login.email')).fill(editor.email);
    await field(tAccess('login.password')).fill(PASSWORD);
    await press(tAccess('login.submit'));
    await expect(page.getByRole('heading', { name: tAccess('login.codeTitle') })).toBeVisible();
  };
  await withPassword();
  await expectAccessible(page);
  await page.goto(`${origin}/account`);
  await expect(page.getByRole('heading', { name: tAccess('login.title') })).toBeVisible();
  await withPassword();
  // The one that confirmed the app is used up.
  await field(tAccess('login.code')).fill(app.code(1));
  await press(tAccess('login.submit'));
  await expect(page).toHaveURL(`${origin}/account`);
  await signOut();
  await page.goto(`${origin}/login?next=%2Faccount`);
  await withPassword();
  await press(tAccess('login.toRecovery'));
  await field(tAccess('login.recovery')).fill(recovery);
  await press(tAccess('login.submit'));
  await expect(page).toHaveURL(`${origin}/account`);

  // The device stands for both, if it knows the finger.
  await signOut();
  await page.goto(`${origin}/login?next=%2Faccount`);
  await device.setKnown(false);
  await press(tAccess('login.passkey'));
  // Next has a separate, empty alert.
  await expect(page.getByRole('alert').filter({ hasText: tAccess('factors.passkeyStopped') })).toBeVisible();
  await device.setKnown(true);
  await press(tAccess('login.passkey'));
  await expect(page).toHaveURL(`${origin}/account`);

  await maker.signedInEarlier(editor.id);
  await press(tApiKeys('add'));
  await field(tApiKeys('form.name')).fill('Newsletter');
  await page.getByRole('button', { name: tApiKeys('form.save'), exact: true }).click();
  const asked = page.getByRole('dialog', { name: tAccess('again.title') });
  await expectAccessible(page);
  await asked.getByRole('button', { name: tAccess('login.passkey'), exact: true }).click();
  await expect(page.getByRole('textbox', { name: tApiKeys('shown.key'), exact: true })).toHaveValue(/^tl_/);
  await press(tApiKeys('shown.done'));

  await press(tAccess('factors.removeOf', { name: 'Laptop' }));
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: tAccess('factors.remove'), exact: true })
    .click();
  await expect(passkeys.getByText(tAccess('factors.none'))).toBeVisible();
  await press(tAccess('factors.turnOff'));
  await field(tAccess('factors.password')).fill(PASSWORD);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: tAccess('factors.turnOff'), exact: true })
    .click();
  await expect(page.getByText(tAccess('factors.totpOff'))).toBeVisible();
});

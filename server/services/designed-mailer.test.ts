import sharp from 'sharp';
import { expect, it } from 'vitest';
import { contrast } from '#server/core/site/design/colors';
import { DEFAULT_DESIGN } from '#server/core/site/design/design';
import { themeNames, withTheme } from '#server/core/site/design/themes';
import type { Mail } from '#server/platform/mail/mailer';
import { designedMailer } from '#server/services/designed-mailer';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase } from '#tests/support/test-database';

const by = { actor: 'user' } as const;
const fetchPicture = () => Promise.reject(new Error('Nothing is fetched here.'));
const link = 'https://cms.example/library/messages?a=1&b=2';
const mail = {
  to: 'mara@club.example',
  subject: 'Booking <1>',
  text: `Message: <script>alert(1)</script> https://evil.example\n\nSent by a form.\n${link}`,
  link,
  language: 'de',
} as const;

/** Sends a mail and returns what the mail server is given. */
async function sent(content: EmbeddedSite): Promise<Mail> {
  const mails: Mail[] = [];
  const mailer = { send: async (one: Mail) => void mails.push(one) };
  await designedMailer(mailer, content, expect.unreachable).send(mail);
  return mails[0]!;
}

it('an email has the colours and the logo of the published design, and one link', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db), { preparePicture, fetchPicture });
  await content.updateSettings({ siteName: 'Chess & Club' }, by);
  await content.updateDesign({ palette: { brand: '#1d4ed8', ink: '#102030', paper: '#f0f4ff' } }, by);
  expect(await sent(content)).toEqual(mail);

  await content.updateDesign({}, by, { isPublished: true });
  const named = await sent(content);
  expect(named).toMatchObject({ ...mail, pictures: [] });
  expect(named.html).toContain('<html lang="de">');
  for (const part of ['#f0f4ff', '#102030', '#1d4ed8', 'Chess &amp; Club', '&lt;script&gt;'])
    expect(named.html).toContain(part);
  expect(named.html?.match(/<a href="[^"]*"/g)).toEqual([`<a href="${link.replace('&', '&amp;')}"`]);

  const { asset } = await content.assets.add({ data: await colouredPicture('#1d4ed8'), filename: 'logo.png' }, by);
  await content.updateDesign({ logo: { light: asset.url } }, by, { isPublished: true });
  const { html, pictures = [] } = await sent(content);
  expect(html).toMatch(/<img src="cid:logo" alt="Chess &amp; Club" width="84" height="56"/);
  expect(await sharp(pictures[0]!.data).metadata()).toMatchObject({ format: 'png', width: 168, height: 112 });
});

it.each(themeNames)('emails in the theme %s are hard to read', async (theme) => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  await content.updateDesign(withTheme(DEFAULT_DESIGN, theme), by, { isPublished: true });
  const { html = '' } = await sent(content);
  const [, paper = ''] = /bgcolor="(#\w{6})"/.exec(html) ?? [];
  for (const [, color = ''] of html.matchAll(/[";]color:(#\w{6})/g))
    expect(contrast(color, paper), color).toBeGreaterThanOrEqual(4.5);
});

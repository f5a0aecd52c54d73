import sharp from 'sharp';
import type { Design } from '#server/core/site/design/design';
import { brandOf, shadesOf } from '#server/core/site/design/shades';
import { emailHtml, type EmailLook, LOGO_CID } from '#server/services/email-html';
import type { Mailer } from '#server/platform/mail/mailer';
import type { ContentBackend } from '#server/site/content-backend';
import { linkedAsset } from '#server/site/entry-links';
import { withDecoder } from '#server/site/media/decoding';

/** Largest size in which an email shows a logo; CSS pixels. The picture has twice as many. */
const LOGO_SIZE = { width: 200, height: 56 };

/** A mailer that adds the text of each email as HTML in the design of the site, if one is published. */
export function designedMailer(
  mailer: Mailer,
  content: ContentBackend,
  onFault: (message: string, error: unknown) => void,
): Mailer {
  const readLook = () =>
    lookOf(content).catch((error: unknown) => {
      onFault('An email is sent without the design of the site', error);
      return null;
    });
  return {
    async send(mail) {
      const look = await readLook();
      if (look === null) return mailer.send(mail);
      const pictures = look.logo === null ? [] : [{ cid: LOGO_CID, data: look.logo.data }];
      return mailer.send({ ...mail, html: emailHtml(mail, look), pictures });
    },
  };
}

/** How emails of the site look; null: no design is published. */
async function lookOf(content: ContentBackend): Promise<EmailLook | null> {
  const { published } = await content.design();
  if (published === null) return null;
  const { siteName, accentColor } = await content.settings();
  const { palette, appearance } = published;
  const shades = shadesOf({ ...palette, brand: brandOf(palette, accentColor) })[
    appearance === 'dark' ? 'dark' : 'light'
  ];
  return { siteName, logo: await logoOf(published, content), colors: shades };
}

/** The logo as PNG, which all mail programs show; null: there is none. */
async function logoOf({ logo, appearance }: Design, { assets }: ContentBackend): Promise<EmailLook['logo']> {
  const id = linkedAsset((appearance === 'dark' && logo.dark) || logo.light);
  if (id === null) return null;
  const picture = await assets.read(id, 'full').catch(() => null);
  if (picture === null) return null;
  const size = { width: 2 * LOGO_SIZE.width, height: 2 * LOGO_SIZE.height };
  return withDecoder(async () => {
    const drawn = sharp(picture.data)
      .resize({ ...size, fit: 'inside' })
      .png();
    const { data, info } = await drawn.toBuffer({ resolveWithObject: true });
    return { data, width: Math.round(info.width / 2), height: Math.round(info.height / 2) };
  });
}

import { escapeAttribute, escapeText } from '#server/markup/write-html';
import type { EmailText } from '#server/platform/mail/mailer';

/** How emails look. */
export interface EmailLook {
  /** Shown at the top; with a logo, its description. */
  readonly siteName: string;
  /** PNG, and the size in CSS pixels in which it is shown; null: the name is shown. */
  readonly logo: { readonly data: Uint8Array; readonly width: number; readonly height: number } | null;
  /** Each `#rrggbb`. `ink` and `link` are readable on `paper`. */
  readonly colors: Readonly<Record<'paper' | 'ink' | 'link' | 'accent', string>>;
}

/** Content id of the logo within the email. */
export const LOGO_CID = 'logo';

/**
 * The text of an email as HTML. Only the line that equals `link` becomes a link: other texts may come from visitors and
 * models.
 */
export function emailHtml({ subject, text, link, language }: EmailText, look: EmailLook): string {
  const { paper, ink, link: linkColor, accent } = look.colors;
  const line = (words: string) =>
    words !== '' && words === link
      ? `<a href="${escapeAttribute(words)}" style="color:${linkColor};word-break:break-all">${escapeText(words)}</a>`
      : escapeText(words);
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p style="margin:0 0 16px">${paragraph.split('\n').map(line).join('<br>')}</p>`);
  const top =
    look.logo === null
      ? escapeText(look.siteName)
      : `<img src="cid:${LOGO_CID}" alt="${escapeAttribute(look.siteName)}" width="${look.logo.width}" height="${look.logo.height}" style="display:block;border:0">`;
  const lang = language === undefined ? '' : ` lang="${language}"`;
  return `<!doctype html><html${lang}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(subject)}</title></head>
<body style="margin:0;background:${paper}"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" bgcolor="${paper}"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;color:${ink};font-family:-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:16px;line-height:1.55;text-align:left">
<tr><td style="padding:0 0 16px;border-bottom:3px solid ${accent};font-size:20px;font-weight:700">${top}</td></tr>
<tr><td style="padding:24px 0;color:${ink};overflow-wrap:anywhere">${paragraphs.join('\n')}</td></tr>
</table></td></tr></table></body></html>`;
}

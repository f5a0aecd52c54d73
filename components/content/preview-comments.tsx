import type { SiteTexts } from '#server/core/messages/site-texts';
import {
  COMMENT_FORM_CLASS,
  commentOutcomes,
  MAX_COMMENT_CHARS,
  MAX_COMMENTER_CHARS,
} from '#server/core/site/preview/preview-comments';
import { HONEYPOT_FIELD } from '#server/core/site/site-forms';
import type { Section } from '#server/core/site/content';
import { sectionName } from '#server/core/site/section-name';

interface PreviewCommentsProps {
  readonly sections: readonly Section[];
  readonly texts: SiteTexts['previewLink']['comments'];
}

/**
 * The form for comments below a draft that a preview link shows. It works without scripts and without a session; the
 * page of the link receives it. The browser is redirected to the id of the outcome, which CSS then shows.
 */
export function PreviewComments({ sections, texts }: PreviewCommentsProps) {
  return (
    <section className="site-comments-box" aria-labelledby="comments-title">
      <h2 id="comments-title">{texts.title}</h2>
      {commentOutcomes.map((outcome) => (
        <output key={outcome} id={`comment-${outcome}`} className="site-comments-outcome">
          {texts[outcome]}
        </output>
      ))}
      <form className={COMMENT_FORM_CLASS}>
        <label>
          {texts.section}
          <select name="section">
            <option value="">{texts.page}</option>
            {sections.map((section, index) => (
              <option key={section.id} value={section.id}>
                {`${String(index + 1)}. `.concat(sectionName(section))}
              </option>
            ))}
          </select>
        </label>
        <label>
          {texts.name}
          <input name="name" maxLength={MAX_COMMENTER_CHARS} autoComplete="name" />
        </label>
        <label>
          {texts.text}
          <textarea name="text" rows={5} required maxLength={MAX_COMMENT_CHARS} />
        </label>
        <label className="site-comments-trap" aria-hidden="true">
          {texts.trap}
          <input name={HONEYPOT_FIELD} tabIndex={-1} autoComplete="off" />
        </label>
        <p>{texts.note}</p>
        <button type="submit" className="site-button">
          {texts.send}
        </button>
      </form>
    </section>
  );
}

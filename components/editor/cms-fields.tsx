import { pageFieldWords } from '#components/editor/field-words';
import { FormFields } from '#components/editor/form-fields';
import { documentForm } from '#components/editor/form-model';
import type { PageEditor } from '#components/editor/page-editor';
import { WritingPlaces } from '#components/editor/panel';
import type { EntryDocument } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

interface CmsFieldsProps {
  readonly document: EntryDocument;
  readonly editor: PageEditor;
  /** Groups to offer though the entry is in none of them. */
  readonly groups: readonly string[];
}

/** `acme_area` as a label. */
function labelOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const wordsOf = (name: string) => ({ label: labelOf(name), item: labelOf(name) });

/** Fields that only the connected CMS has: groups beside tags, and custom fields. What is no text is only shown. */
export function CmsFields({ document, editor, groups }: CmsFieldsProps) {
  const { terms = {}, custom = {} } = document;
  const taxonomies = [...new Set([...groups, ...Object.keys(terms)])];
  const texts = Object.keys(custom).filter((name) => typeof custom[name] === 'string');
  const others = Object.entries(custom).filter(([, value]) => typeof value !== 'string');
  if (taxonomies.length === 0 && Object.keys(custom).length === 0) return null;
  const write =
    (field: 'terms' | 'custom', values: Readonly<Record<string, JsonValue>>, none: JsonValue) =>
    (name: string, value: JsonValue | null) =>
      editor.setValue({ sectionId: null, field }, { ...values, [name]: value ?? none });
  return (
    <section aria-label={pageFieldWords.terms.label} className="flex flex-col gap-4 border-t border-rule pt-5">
      <WritingPlaces editor={editor} sectionId={null}>
        <FormFields
          fields={taxonomies.map((name) => ({ ...documentForm.tags, name }))}
          values={terms as Readonly<Record<string, JsonValue>>}
          words={wordsOf}
          write={write('terms', terms as Readonly<Record<string, JsonValue>>, [])}
        />
        <FormFields
          fields={texts.map((name) => ({ ...documentForm.excerpt, name }))}
          values={custom}
          words={wordsOf}
          write={write('custom', custom, '')}
        />
      </WritingPlaces>
      {others.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          {others.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="font-medium">{labelOf(name)}</dt>
              <dd className="text-ink-2">{String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

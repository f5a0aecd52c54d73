import { fieldWords, kindWords } from '#components/editor/field-words';
import { FormFields } from '#components/editor/form-fields';
import { sectionForm } from '#components/editor/form-model';
import { type PageEditor, usePageEditor } from '#components/editor/page-editor';
import { Panel, WritingPlaces } from '#components/editor/panel';
import { panelStrings } from '#components/editor/panel-words';
import { LoadingBlock, Notice } from '#components/ui/notices';
import type { Section } from '#server/core/content';

const say = panelStrings;

interface SectionPanelProps {
  /** Path of the page that is shown. */
  readonly path: string;
  readonly sectionId: string;
  readonly onClose: () => void;
}

/** Everything of a section that can be changed, beside the page; each change is saved by itself. */
export function SectionPanel({ path, sectionId, onClose }: SectionPanelProps) {
  const { editor, state } = usePageEditor(path);
  const section = state.document?.sections.find(({ id }) => id === sectionId);
  return (
    <Panel key={sectionId} title={section ? kindWords[section.type].name : say.panel} state={state} onClose={onClose}>
      {section ? (
        <SectionFields section={section} editor={editor} />
      ) : state.document === null ? (
        <LoadingBlock label={say.loading} />
      ) : (
        <Notice title={say.gone} action={{ label: say.close, run: onClose }} />
      )}
    </Panel>
  );
}

function SectionFields({ section, editor }: { readonly section: Section; readonly editor: PageEditor }) {
  const { id, type, fields } = section;
  return (
    <WritingPlaces editor={editor} sectionId={id}>
      <FormFields
        fields={sectionForm(type)}
        values={fields}
        words={(name) => fieldWords(type, name)}
        write={(field, value) => editor.setValue({ sectionId: id, field }, value)}
      />
    </WritingPlaces>
  );
}

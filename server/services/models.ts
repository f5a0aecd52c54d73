import { createPictureQuestions } from '#server/conversation/step/picture-questions';
import { loadCalibrations } from '#server/context/calibration';
import { Connections } from '#server/models/connections';
import { createModelCatalog } from '#server/models/model-catalog';
import { LearnedWindows } from '#server/models/learned-windows';
import { createModelRegistry, createModelSources, type ModelOverrides } from '#server/models/model-registry';
import type { ProcessContext } from '#server/platform/process-context';
import { sealStored } from '#server/services/foundation';
import { modelList } from '#server/settings/model-list';
import { Providers } from '#server/settings/connected-providers';
import { createSettings } from '#server/settings/settings';
import { Spending } from '#server/models/budgets';
import {
  createCalibrationRepository,
  createCatalogRepository,
  createTypicalTurn,
} from '#server/models/store/model-facts-repository';
import { createProviderRepository } from '#server/models/store/provider-repository';
import { createSettingsRepository } from '#server/platform/database/settings-repository';
import { type CostsQuery, createSpendingRepository } from '#server/models/store/spending-repository';
import { createLookAtPicture } from '#server/tools/media-tools';
import type { Tool } from '#server/tools/tool';

export type Models = Awaited<ReturnType<typeof openModels>>;

/** The models that can be called: their providers, the settings that choose among them, and their costs. */
export async function openModels(
  { env, now, log, database, secretBox, signals, onFault }: ProcessContext,
  overrides: ModelOverrides,
  tools: readonly Tool[],
) {
  const store = createProviderRepository(database, secretBox);
  await sealStored(store, onFault);
  const connections = await Connections.load({ env, store, signals, onFault });
  const { find: findSource } = createModelSources(env, overrides, connections.current);
  const settings = await createSettings({
    env,
    repository: createSettingsRepository(database),
    exemptTools: new Set(tools.filter((tool) => tool.exemptFromPruning).map((tool) => tool.name)),
    readingTools: new Set(tools.filter(({ writes = false }) => !writes).map(({ name }) => name)),
    isServed: (modelId) => findSource(modelId) !== null,
    signals,
    onFault,
  });
  const catalog = createModelCatalog({
    connections,
    store: createCatalogRepository(database),
    now,
    onFault: (message, error) => log.warn({ err: error }, message),
  });
  const spent = createSpendingRepository(database);
  const spending = new Spending({ store: spent, settings, onFault });
  const models = createModelRegistry(env, overrides, {
    connections,
    catalog,
    settings: settings.current,
    purse: spending,
    learned: await LearnedWindows.load({ store: createCatalogRepository(database), now, onFault }),
  });
  // A stored setting may name a model that has only now become available, or that no longer is.
  connections.onChange(() => settings.recheck());
  // The lists of models load in the background: starting does not wait for a provider.
  void models.refresh();
  const calibrations = await loadCalibrations(createCalibrationRepository(database), onFault, settings.current);
  const withPictureTool = [...tools, createLookAtPicture(createPictureQuestions(models))];
  return {
    settings,
    models,
    spending,
    providers: new Providers({ env, overrides, connections, models, settings }),
    calibrations,
    /** Our tools; if a picture model is set, also the tool that asks it about a picture. */
    tools: () => (models.pictureModelId === null ? tools : withPictureTool),
    modelList: (sessionId: string | null) => modelList(models, createTypicalTurn(database), sessionId),
    costs: (query: CostsQuery) => spent.costs(query),
    async close() {
      await spending.close();
      await settings.close();
      await connections.close();
      await catalog.close();
    },
  };
}

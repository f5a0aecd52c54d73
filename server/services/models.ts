import { createPictureQuestions } from '#server/agent/picture-questions';
import { loadCalibrations } from '#server/context/current-tokens';
import { Connections } from '#server/models/connections';
import { createModelCatalog } from '#server/models/model-catalog';
import { createModelRegistry, createModelSources, type ModelOverrides } from '#server/models/model-registry';
import { type Foundation, sealStored } from '#server/services/foundation';
import { modelList } from '#server/settings/settings-report';
import { Providers } from '#server/settings/providers';
import { createSettings } from '#server/settings/settings';
import { Spending } from '#server/spending/spending';
import {
  createCalibrationRepository,
  createCatalogRepository,
  createTypicalTurn,
} from '#server/store/model-facts-repository';
import { createProviderRepository } from '#server/store/provider-repository';
import { createSettingsRepository } from '#server/store/settings-repository';
import { type CostsQuery, createSpendingRepository } from '#server/store/spending-repository';
import { createLookAtPicture } from '#server/tools/media-tools';
import type { Tool } from '#server/tools/tool';

/** The models that may be called: their providers, the settings that choose among them, and what they cost. */
export async function openModels(
  { env, log, database, secretBox, signals, onFault }: Foundation,
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
    isServed: (modelId) => findSource(modelId) !== null,
    signals,
    onFault,
  });
  const catalog = createModelCatalog({
    connections: connections.current,
    store: createCatalogRepository(database),
    now: Date.now,
    onFault: (message, error) => log.warn({ err: error }, message),
  });
  const spent = createSpendingRepository(database);
  const spending = new Spending({ store: spent, settings, onFault });
  const models = createModelRegistry(env, overrides, {
    connections: connections.current,
    catalog,
    settings: settings.current,
    purse: spending,
  });
  // A stored setting may name a model that is served only now, or no longer.
  connections.onChange(() => settings.recheck());
  // Lists of models come when they come: nobody waits for a provider to start.
  void models.refresh();
  const calibrations = await loadCalibrations(createCalibrationRepository(database), onFault, settings.current);
  const lookingToo = [...tools, createLookAtPicture(createPictureQuestions(models))];
  return {
    settings,
    models,
    spending,
    providers: new Providers({ env, overrides, connections, models, settings }),
    calibrations,
    /** Our tools: with the one that asks the model for pictures, where there is one. */
    tools: () => (models.pictureModelId === null ? tools : lookingToo),
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

import { z } from 'zod';
import { orNull, type LocalReader } from '#server/models/catalog/local/local-server';
import { modelName, tokenFigure } from '#server/models/catalog/token-figure';

const propsSchema = z.object({
  /** `n_ctx` is what one request may use: the loaded context divided among the server's slots. */
  default_generation_settings: z.object({ n_ctx: tokenFigure }),
  model_alias: modelName.nullable().catch(null),
  model_path: z.string().catch(''),
  modalities: z.object({ vision: z.boolean() }).catch({ vision: false }),
});

/** llama.cpp's server (GET /props): it runs one model, whatever it is asked for. */
export const readLlamaCpp: LocalReader = async (server) => {
  const props = propsSchema.safeParse(await orNull(server.ask('/props')));
  if (!props.success) return null;
  const { default_generation_settings: defaults, model_alias: alias, model_path: path, modalities } = props.data;
  const file = modelName.safeParse(path.split(/[/\\]/).at(-1));
  const name = alias ?? file.data ?? 'default';
  const model = { name, loadedContext: defaults.n_ctx, longestContext: null };
  return { models: [modalities.vision ? { ...model, acceptsImages: true } : model], single: true };
};

// Applies a panel's transformations and its field configuration with @grafana/data.
import {
  FieldConfigOptionsRegistry,
  FieldType,
  applyFieldOverrides,
  cacheFieldDisplayNames,
  displayNameOverrideProcessor,
  getFieldDisplayName,
  identityOverrideProcessor,
  standardTransformers,
  standardTransformersRegistry,
  transformDataFrame,
} from '@grafana/data';
import { lastValueFrom, map } from 'rxjs';

// Grafana's own partitionByValues is a part of its application, not of its packages. This does
// the same for one field with "as labels".
const partitionByValues = {
  id: 'partitionByValues',
  name: 'Partition by values',
  operator: (options) => (source) => source.pipe(map(([frame]) => (frame ? parted(frame, options.fields[0]) : []))),
};

function parted(frame, name) {
  const key = frame.fields.find((field) => field.name === name || getFieldDisplayName(field, frame) === name);
  if (!key) {
    return [frame];
  }
  const parts = [...new Set(key.values)].map((value) => {
    const kept = key.values.flatMap((other, i) => (other === value ? [i] : []));
    return {
      length: kept.length,
      fields: frame.fields
        .filter((field) => field !== key)
        .map((field) => ({
          name: field.config.displayName ?? field.name,
          type: field.type,
          labels: { ...field.labels, [name]: value },
          config: { ...field.config, displayName: undefined },
          values: kept.map((i) => field.values[i]),
        })),
    };
  });
  // The names of fields have to differ, as those of series do.
  parts.forEach((part) => part.fields.forEach((field) => (field.config.displayName = getFieldDisplayName(field, part, parts))));
  return parts;
}

standardTransformersRegistry.setInit(() =>
  [...new Set(Object.values(standardTransformers)), partitionByValues].map((transformer) => ({
    id: transformer.id,
    name: transformer.name,
    aliasIds: [],
    transformation: () => Promise.resolve(transformer),
  }))
);

export async function transformed(panel, frames) {
  const steps = panel.transformations ?? [];
  for (const { id } of steps) {
    if (!standardTransformersRegistry.getIfExists(id)) {
      throw new Error(`the transformation ${id} is unknown`);
    }
  }
  return lastValueFrom(transformDataFrame(steps, frames));
}

// The properties that all panels have. The processors of the others change nothing.
const standard = ['unit', 'min', 'max', 'decimals', 'noValue', 'color', 'mappings', 'thresholds', 'links', 'displayName'];

function registry(custom) {
  const item = (id, path, isCustom) => ({
    id,
    path,
    isCustom,
    name: id,
    process: id === 'displayName' ? displayNameOverrideProcessor : identityOverrideProcessor,
    shouldApply: (field) => !isCustom || field.type !== FieldType.time,
    settings: {},
  });
  return new FieldConfigOptionsRegistry(() => [
    ...standard.map((id) => item(id, id, false)),
    ...custom.map((id) => item(`custom.${id}`, id, true)),
  ]);
}

// configured returns frames whose fields have everything that says how to show them. The
// defaults are those of Grafana's panels, which a dashboard leaves out.
export function configured(panel, frames, theme, defaults) {
  const { fieldConfig } = panel;
  const custom = { ...defaults.custom, ...fieldConfig.defaults.custom };
  const overridden = fieldConfig.overrides.flatMap(({ properties }) => properties.map(({ id }) => id));
  for (const id of overridden) {
    if (!id.startsWith('custom.') && !standard.includes(id)) {
      throw new Error(`the property ${id} is unknown`);
    }
  }
  const names = [...Object.keys(custom), ...overridden.filter((id) => id.startsWith('custom.')).map((id) => id.slice(7))];
  const shown = applyFieldOverrides({
    data: frames,
    fieldConfig: {
      defaults: { ...defaults.standard, ...withInfinity(fieldConfig.defaults), custom },
      overrides: fieldConfig.overrides,
    },
    fieldConfigRegistry: registry([...new Set(names)]),
    replaceVariables: (text) => text,
    theme,
    timeZone: 'utc',
  });
  cacheFieldDisplayNames(shown);
  return shown;
}

// JSON has no infinity: the first threshold has no value.
function withInfinity(defaults) {
  if (!defaults.thresholds) {
    return defaults;
  }
  const steps = defaults.thresholds.steps.map((step) => ({ ...step, value: step.value ?? -Infinity }));
  return { ...defaults, thresholds: { ...defaults.thresholds, steps } };
}

// Draws each kind of panel with Grafana's components.
import {
  VizOrientation,
  applyNullInsertThreshold,
  getDisplayProcessor,
  getDisplayValueAlignmentFactors,
  getFieldDisplayValues,
} from '@grafana/data';
import { BarGauge, BigValue, TimeSeries, VizRepeater } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { settings } from './settings.js';
import { Timeline } from './timeline.jsx';
import { XYChart } from './xychart.jsx';

const green = { mode: 'absolute', steps: [{ color: 'green', value: -Infinity }, { color: 'red', value: 80 }] };
const byThreshold = { color: { mode: 'thresholds' }, thresholds: green };
const byPalette = { color: { mode: 'palette-classic' }, thresholds: green };

// kinds are the kinds of panels that can be drawn, with the defaults of their fields.
export const kinds = {
  stat: { draw: Stat, defaults: { standard: byThreshold, custom: {} } },
  bargauge: { draw: Bars, defaults: { standard: byThreshold, custom: {} } },
  table: { draw: Rows, defaults: { standard: byThreshold, custom: { align: 'auto', cellOptions: { type: 'auto' }, minWidth: undefined, width: undefined } } },
  timeseries: {
    draw: Lines,
    defaults: {
      standard: byPalette,
      custom: {
        drawStyle: 'line', lineInterpolation: 'linear', lineWidth: 1, fillOpacity: 0, gradientMode: 'none', showPoints: 'auto', pointSize: 5,
        spanNulls: false, lineStyle: { fill: 'solid' }, axisPlacement: 'auto', axisLabel: '', axisColorMode: 'text', axisGridShow: true,
        axisBorderShow: false, axisSoftMin: undefined, scaleDistribution: { type: 'linear' }, stacking: { mode: 'none', group: 'A' },
        thresholdsStyle: { mode: 'off' }, hideFrom: { viz: false, legend: false, tooltip: false },
      },
    },
  },
  'state-timeline': { draw: Timeline, defaults: { standard: byThreshold, custom: { fillOpacity: 70, lineWidth: 0 } } },
  xychart: {
    draw: XYChart,
    defaults: {
      standard: byPalette,
      custom: {
        show: 'points', pointSize: { fixed: 5 }, pointShape: 'circle', lineWidth: 1, lineStyle: { fill: 'solid' }, axisPlacement: 'auto', axisLabel: '',
        hideFrom: { viz: false, legend: false, tooltip: false },
      },
    },
  },
};

function values({ panel, frames, theme }) {
  return getFieldDisplayValues({
    fieldConfig: panel.fieldConfig,
    reduceOptions: panel.options.reduceOptions,
    replaceVariables: (text) => text,
    theme,
    data: frames,
    timeZone: 'utc',
  });
}

function alignment(all) {
  return getDisplayValueAlignmentFactors(all);
}

function Stat(props) {
  const { panel, frames, theme, width, height } = props;
  const { options } = panel;
  return (
    <VizRepeater
      getValues={() => values(props)}
      getAlignmentFactors={() => alignment(values(props))}
      renderValue={({ value, width, height, count, alignmentFactors }) => (
        <BigValue
          value={value.display} count={count} width={width} height={height} theme={theme} alignmentFactors={alignmentFactors}
          colorMode={options.colorMode} graphMode={options.graphMode} justifyMode={options.justifyMode} textMode={options.textMode}
          disableWideLayout={!options.wideLayout}
        />
      )}
      width={width} height={height} source={frames} itemSpacing={3} renderCounter={0} autoGrid orientation={options.orientation}
    />
  );
}

function Bars(props) {
  const { panel, frames, theme, width, height } = props;
  const { options } = panel;
  const manual = options.sizing === 'manual';
  return (
    <VizRepeater
      getValues={() => values(props)}
      getAlignmentFactors={() => alignment(values(props))}
      renderValue={({ value, width, height, orientation, alignmentFactors }) => (
        <BarGauge
          value={value.display} field={value.field} width={width} height={height} theme={theme} alignmentFactors={alignmentFactors}
          display={value.view?.getFieldDisplayProcessor(value.colIndex) ?? getDisplayProcessor({ field: { config: value.field }, theme })}
          orientation={orientation} displayMode={options.displayMode} showUnfilled={options.showUnfilled} valueDisplayMode={options.valueMode}
          namePlacement={options.namePlacement} itemSpacing={10}
        />
      )}
      width={width} height={height} source={frames} itemSpacing={10} renderCounter={0}
      orientation={options.orientation === 'auto' ? VizOrientation.Auto : options.orientation}
      minVizWidth={manual ? options.minVizWidth : 8} minVizHeight={manual ? options.minVizHeight : 16} maxVizHeight={manual ? options.maxVizHeight : 300}
    />
  );
}

function Rows({ panel, frames, width, height }) {
  const { options, fieldConfig } = panel;
  return (
    <TableNG
      data={frames[options.frameIndex ?? 0]} width={width} height={height} noHeader={!options.showHeader} cellHeight={options.cellHeight}
      initialSortBy={options.sortBy} fieldConfig={fieldConfig} noValue={fieldConfig.defaults.noValue} timeRange={settings.range}
      enableVirtualization={false} structureRev={1}
    />
  );
}

// Lines breaks a line where points are missing. Grafana does so before it draws; the component alone
// does it for the first line only.
function Lines({ panel, frames, width, height }) {
  const broken = frames.map((frame) => applyNullInsertThreshold({ frame }));
  return <TimeSeries frames={broken} width={width} height={height} timeRange={settings.range} timeZone="utc" legend={panel.options.legend} options={panel.options} structureRev={1} />;
}

// What the dashboards are checked against: Grafana's own types of a Classic dashboard, with
// the options and styles of each kind of panel that is used. Grafana's dashboard type leaves
// those open, and the queries as well. The query type here has the fields that its Prometheus
// data source reads.
import * as grafana from '@grafana/schema';
import * as bargauge from '@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen';
import * as stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import * as statetimeline from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import * as table from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import * as timeseries from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import * as xychart from '@grafana/schema/dist/esm/raw/composable/xychart/panelcfg/x/XYChartPanelCfg_types.gen';

interface PrometheusQuery {
  datasource: grafana.DataSourceRef;
  expr: string;
  format: 'time_series' | 'table';
  instant: boolean;
  legendFormat?: string;
  range: boolean;
  refId: string;
}

interface Annotation extends Omit<grafana.AnnotationQuery, 'target'> {
  target: PrometheusQuery;
  tagKeys?: string;
  textFormat?: string;
  titleFormat?: string;
}

interface Panel<Type, Options, Custom> extends Omit<grafana.Panel, 'type' | 'options' | 'fieldConfig' | 'targets'> {
  type: Type;
  options: Options;
  fieldConfig: Omit<grafana.FieldConfigSource, 'defaults'> & {
    defaults: Omit<grafana.FieldConfig, 'custom'> & { custom?: Custom };
  };
  targets: PrometheusQuery[];
}

type None = Record<string, never>;

export interface Dashboard extends Omit<grafana.Dashboard, 'annotations' | 'panels'> {
  annotations: { list: Annotation[] };
  panels: Array<
    | grafana.RowPanel
    | Panel<'bargauge', bargauge.Options, None>
    | Panel<'stat', stat.Options, None>
    | Panel<'state-timeline', statetimeline.Options, statetimeline.FieldConfig>
    | Panel<'table', table.Options, table.FieldConfig>
    | Panel<'timeseries', timeseries.Options, timeseries.FieldConfig>
    | Panel<'xychart', xychart.Options, xychart.FieldConfig>
  >;
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/follow"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

func measureCommand(cluster *connection) *cobra.Command {
	r := &run{cluster: cluster}
	command := &cobra.Command{
		Use:   "measure NAME VARIANT...",
		Short: "Measure more variants of an experiment that decided without them",
		Long: `Measures variants of an experiment that measured only what could be recommended
(measure: Decision), and shows the results. It adds them to spec.alsoMeasure. An
experiment that has ended goes on, with the calibration and the results that it has.

Use it to have a row of a variant that was only predicted, and before you ask another
question: recommend then has a measured answer.

Exit codes: 0 if the objective can be met (with a demand: if a size is
recommended), 1 if it can't, 2 if there is no result.`,
		Example: `  kubectl hashmark measure login-sizing c12-1
  kubectl hashmark recommend login-sizing --min-cost 12`,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) < 2 {
				return errors.New("name an experiment and one or more of its variants; see: kubectl hashmark report NAME")
			}
			return nil
		},
		ValidArgsFunction: cluster.completeNames(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return r.measure(command.Context(), arguments[0], arguments[1:])
		},
	}
	r.addCommon(command)
	return command
}

func (r *run) measure(ctx context.Context, name string, variants []string) error {
	cluster, e, err := r.existing(ctx, name)
	if err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(e)
	if err := alsoMeasure(e, variants); err != nil {
		return fmt.Errorf("experiment %s: %w", key, err)
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": e.UID}, "spec": map[string]any{"alsoMeasure": e.Spec.AlsoMeasure},
	})
	if err != nil {
		return err
	}
	if err := cluster.Patch(ctx, e, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return follow.Refused(err, "patch", key)
	}
	return r.follow(ctx, e)
}

// alsoMeasure adds variants to an experiment. The error says why that is not possible.
func alsoMeasure(e *v1beta1.SizingExperiment, variants []string) error {
	if ptr.Deref(e.Spec.Cancel, false) {
		return errors.New("it is cancelled, which can't be undone; create a new experiment")
	}
	for _, name := range variants {
		measured := func(row v1beta1.VariantResult) bool {
			return row.Variant == name && row.Verdict != v1beta1.VerdictPending
		}
		if slices.ContainsFunc(e.Status.Results, measured) {
			return fmt.Errorf("%s has been measured; see: kubectl hashmark report %s -n %s", name, e.Name, e.Namespace)
		}
		if !slices.Contains(e.Spec.AlsoMeasure, name) {
			e.Spec.AlsoMeasure = append(e.Spec.AlsoMeasure, name)
		}
	}
	return matrix.CheckAlso(e.Spec)
}

package controllers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// LiveIn limits a reader to some namespaces. Listing all objects then lists each namespace in
// turn and joins the results, which needs no rights on the whole cluster. Without namespaces
// the reader is returned unchanged.
//
// The parts of such a list are not from the same moment. That is sufficient here: only this
// operator gives turns, one at a time, so a trial without a turn still has none when the last
// namespace has been listed.
func LiveIn(reader client.Reader, namespaces []string) client.Reader {
	if len(namespaces) == 0 {
		return reader
	}
	return confined{Reader: reader, namespaces: namespaces}
}

type confined struct {
	client.Reader
	namespaces []string
}

// List joins the lists of the namespaces. If one can't be listed, the whole list fails: a
// namespace that is not known to be idle must be treated as busy.
func (c confined) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	if options.Namespace != "" {
		return c.Reader.List(ctx, list, opts...)
	}
	if options.Limit > 0 || options.Continue != "" {
		return errors.New("a list of several namespaces can't be paged")
	}
	var all []runtime.Object
	for _, namespace := range c.namespaces {
		part := list.DeepCopyObject().(client.ObjectList)
		if err := c.Reader.List(ctx, part, options, client.InNamespace(namespace)); err != nil {
			return fmt.Errorf("watched namespace %s: %w", namespace, err)
		}
		items, err := meta.ExtractList(part)
		if err != nil {
			return err
		}
		all = append(all, items...)
	}
	return meta.SetList(list, all)
}

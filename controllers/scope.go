package controllers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// LiveIn confines a reader to some namespaces: to list everything is to list
// each of them, one after the other, and to join what is found. So it takes no
// right on the whole cluster. Without namespaces the reader stays as it is.
//
// The parts of such a list are not of one moment. That is enough for what is
// asked: only this operator gives turns, one at a time, so that a trial that
// was seen without one still has none when the last namespace has been listed.
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

// List joins what the namespaces hold. One that can't be listed fails the
// whole: what is not known to be idle must be taken for busy.
func (c confined) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	asked := (&client.ListOptions{}).ApplyOptions(opts)
	if asked.Namespace != "" {
		return c.Reader.List(ctx, list, opts...)
	}
	if asked.Limit > 0 || asked.Continue != "" {
		return errors.New("a list of several namespaces has no pages")
	}
	var all []runtime.Object
	for _, namespace := range c.namespaces {
		part := list.DeepCopyObject().(client.ObjectList)
		if err := c.Reader.List(ctx, part, asked, client.InNamespace(namespace)); err != nil {
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
